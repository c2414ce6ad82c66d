// Dark or light: the system's preference, unless the reader chose. The choice of an earlier visit is applied by
// index.html before the first paint.
import { h } from '../ui/dom';

const dark = matchMedia('(prefers-color-scheme: dark)');

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen === undefined ? dark.matches : chosen === 'dark';
}

/** The button; `changed` is called so that canvases can be drawn in the new colours. */
export function themeButton(changed: () => void): HTMLButtonElement {
  const label = () => (isDark() ? 'Light theme' : 'Dark theme');
  const button = h(
    'button',
    { id: 'theme', type: 'button', class: 'icon-button', 'aria-label': label(), title: label() },
    '◐',
  );
  const update = () => {
    button.setAttribute('aria-label', label());
    button.title = label();
    changed();
  };
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark';
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem('theme', theme);
    } catch {
      // Storage is forbidden: the choice holds until the page is left.
    }
    update();
  });
  dark.addEventListener('change', update);
  return button;
}
