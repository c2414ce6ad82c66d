// Sets the theme that was chosen before the first paint: a module would come after it, and the page would flash. A browser
// that forbids storage throws, and then the system's preference decides.
(() => {
  try {
    const theme = localStorage.getItem('theme');
    if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
  } catch {
    // Nothing was remembered.
  }
})();
