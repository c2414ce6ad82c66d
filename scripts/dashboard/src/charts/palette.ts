// Colours of lines: after Okabe and Ito and P. Tol, darkened or lightened until each has a contrast of 3:1 to its background.
// Colour-blind readers can tell eight colours apart; beyond those, lines differ by their dashes.

export const LIGHT = ['#0b66a8', '#b5510a', '#00755c', '#a23b8a', '#5f6b00', '#7a4b3a', '#c2263d', '#4a5bbf'];
export const DARK = ['#6db6ee', '#f0a04b', '#3cc9a3', '#e58fd0', '#c9cf4e', '#d6a18c', '#ff8a94', '#a6b1ff'];
const DASHES: number[][] = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

export interface Stroke {
  colour: string;
  dash: number[];
}

/** The stroke of the line at a place among those that are drawn: up to eight lines have eight colours. */
export function strokeOf(place: number, dark: boolean): Stroke {
  const colours = dark ? DARK : LIGHT;
  const dash = DASHES[Math.floor(place / colours.length) % DASHES.length] ?? [];
  return { colour: colours[place % colours.length] ?? '#888888', dash };
}
