// `node run.mjs tests/synthetic/cli.ts DIR`: writes a synthetic pages folder to look at.
import { history, write } from './generate';

export async function main(given: string[]): Promise<void> {
  const [folder] = given;
  if (folder === undefined) throw new Error('name the folder to write to');
  const files = history();
  await write(files, folder);
  console.log(`${files.size} files in ${folder}`);
}
