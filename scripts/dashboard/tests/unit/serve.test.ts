import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../../server/server';

let folder = '';
let served: Served;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dashboard-'));
  await mkdir(join(folder, 'site'));
  await mkdir(join(folder, 'pages/data'), { recursive: true });
  await writeFile(join(folder, 'site/index.html'), '<!doctype html>');
  await writeFile(join(folder, 'pages/data/index.json'), '{"a":1}');
  await writeFile(join(folder, 'secret.txt'), 'secret');
  await symlink(join(folder, 'secret.txt'), join(folder, 'pages/data/link.json'));
  served = await serve(join(folder, 'site'), join(folder, 'pages'), 0, '/below/');
});
afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

/** As it stands: `fetch` would tidy the path before it is sent. */
function get(path: string, method = 'GET'): Promise<{ status: number; headers: Record<string, unknown> }> {
  const { hostname, port } = new URL(served.url);
  return new Promise((done, failed) => {
    request({ hostname, port, path, method, headers: { 'accept-encoding': 'gzip' } }, response => {
      response.resume();
      done({ status: response.statusCode ?? 0, headers: response.headers });
    })
      .on('error', failed)
      .end();
  });
}

describe('the server', () => {
  it('gives the site and the data, typed and zipped', async () => {
    expect((await get('/below/')).headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-encoding': 'gzip',
    });
    expect(await get('/below/data/index.json?x=1')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
  });
  it.each([
    '/below/../secret.txt',
    '/below/data/../../secret.txt',
    '/below/data/%2e%2e/%2e%2e/secret.txt',
    '/below/data/..%2f..%2fsecret.txt',
    '/below/data/..%5c..%5csecret.txt',
    '/below/data/link.json',
    '/below/%00',
    '/below/%zz',
    '/below/data/',
    '/index.html',
  ])('refuses %s', async path => {
    expect((await get(path)).status).toBe(404);
  });
  it('only reads', async () => {
    expect((await get('/below/data/index.json', 'POST')).status).toBe(405);
  });
});
