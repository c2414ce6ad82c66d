// How the site is built: relative addresses only, so that it works below any path, and file names without hashes, because
// the branch that holds the built site only grows and a new name for each build would never leave it.
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
    rollupOptions: {
      output: {
        entryFileNames: 'assets/[name].js',
        chunkFileNames: 'assets/[name].js',
        assetFileNames: 'assets/[name][extname]',
      },
    },
  },
});
