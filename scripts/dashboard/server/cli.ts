// `node run.mjs server/cli.ts SITE PAGES [PORT]`: serves until it is interrupted.
import { serve } from './server';

export async function main([site, pages, port]: string[]): Promise<void> {
  if (site === undefined || pages === undefined)
    throw new Error('name the folder of the site and the one of the pages');
  const served = await serve(site, pages, Number(port ?? 0));
  console.log(served.url);
  const stop = () => void served.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}
