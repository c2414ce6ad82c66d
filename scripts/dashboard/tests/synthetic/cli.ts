// `node run.mjs tests/synthetic/cli.ts [--hostile] DIR`: writes a synthetic pages folder to look at.
import { history, write } from './generate';
import { hostile } from './hostile';

export async function main(given: string[]): Promise<void> {
  const [folder] = given.filter(each => !each.startsWith('--'));
  if (folder === undefined) throw new Error('name the folder to write to');
  const files = given.includes('--hostile') ? hostile() : history();
  await write(files, folder);
  console.log(`${files.size} files in ${folder}`);
}
