// How the site is built: relative addresses only, so that it works below any path.
import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  build: {
    target: 'es2023',
    // Data addresses would be blocked by the content security policy of index.html.
    assetsInlineLimit: 0,
    // What is bundled asks to be named where it is distributed.
    license: { fileName: 'assets/licences.md' },
    modulePreload: { polyfill: false },
  },
});
