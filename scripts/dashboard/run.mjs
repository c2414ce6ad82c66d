// Runs a TypeScript file under Node as Vite would bundle it: `node run.mjs FILE [ARGUMENT...]`. Node 20 cannot strip types by
// itself, and Vite is there already.
import { resolve } from 'node:path';
import { runnerImport } from 'vite';

const [file] = process.argv.splice(2, 1);
if (!file) {
  console.error('error: name the TypeScript file to run');
  process.exit(2);
}
const { module } = await runnerImport(resolve(file), { configFile: false, logLevel: 'error' });
try {
  await module.main(process.argv.slice(2));
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`);
  process.exit(2);
}
