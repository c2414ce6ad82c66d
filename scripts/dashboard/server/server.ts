// Serves the built site with the data of a pages folder, as a static host would: gzip, right types, nothing outside the two
// folders. For looking at figures locally and for the tests; it listens on loopback only.
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, sep } from 'node:path';
import { createGzip } from 'node:zlib';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.md': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
};
/** What the pages folder gives; all else is the site's. */
const OF_PAGES = /^\/(data|runs|charts)\/|^\/feed(-[\w-]+)?\.xml$/;

export interface Served {
  /** `http://127.0.0.1:PORT/` */
  url: string;
  close(): Promise<void>;
}

/** Serves below `prefix`, to prove that the site works from any sub-path. */
export async function serve(site: string, pages: string, port = 0, prefix = '/'): Promise<Served> {
  const roots = { site: await realpath(site), pages: await realpath(pages) };
  const server = createServer((request, response) => {
    answer(request, response, roots, prefix).catch(() => refuse(response, 500, 'internal error'));
  });
  await listening(server, port);
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}${prefix}`,
    close: () =>
      new Promise(done => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', done);
  });
}

function refuse(response: ServerResponse, status: number, why: string): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${why}\n`);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  roots: { site: string; pages: string },
  prefix: string,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'only GET and HEAD');
  const path = pathOf(request.url ?? '/', prefix);
  if (path === null) return refuse(response, 404, 'not found');
  const root = OF_PAGES.test(path) ? roots.pages : roots.site;
  const file = await inside(root, path.endsWith('/') ? `${path}index.html` : path);
  if (file === null) return refuse(response, 404, 'not found');

  const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  response.writeHead(200, {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
    ...(zipped ? { 'content-encoding': 'gzip' } : {}),
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const body = createReadStream(file);
  body.on('error', () => response.destroy());
  if (zipped) body.pipe(createGzip()).pipe(response);
  else body.pipe(response);
}

/** The path below the prefix, decoded; `null` where it is none. */
function pathOf(url: string, prefix: string): string | null {
  let path: string;
  try {
    path = decodeURIComponent(url.split('?', 1)[0] ?? '/');
  } catch {
    return null;
  }
  if (!path.startsWith(prefix) || path.includes('\0')) return null;
  const below = `/${path.slice(prefix.length)}`;
  return below.split(/[/\\]/).includes('..') ? null : below;
}

/** The file, if it is one and lies within the root, also after links were followed. */
async function inside(root: string, path: string): Promise<string | null> {
  try {
    const file = await realpath(join(root, path));
    return file.startsWith(root + sep) && (await stat(file)).isFile() ? file : null;
  } catch {
    return null;
  }
}
