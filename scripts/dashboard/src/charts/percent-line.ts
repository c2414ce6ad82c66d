// Lines whose places are per cent of a chart, so that nothing has to be drawn again when its width changes.
import { s } from '../ui/dom';
import type { Stroke } from './palette';

export const percent = (figure: number): string => `${figure}%`;

export const percentLine = (
  kind: string,
  [x1, y1]: [number, number],
  [x2, y2]: [number, number],
  stroke: Stroke | null = null,
) =>
  s('line', {
    class: kind,
    x1: percent(x1),
    y1: percent(y1),
    x2: percent(x2),
    y2: percent(y2),
    stroke: stroke?.colour,
    'stroke-dasharray': stroke?.dash.join(' ') || null,
  });

/** Between lines at one place, so that their whiskers stay distinct; in per cent of the width. */
export const SPACING = 0.55;
