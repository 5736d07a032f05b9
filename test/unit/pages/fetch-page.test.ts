import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, it } from 'node:test';

/** What the page's script returns. Its types are the browser's, which the tests are compiled without. */
type FetchPage = (address: string, options?: { readonly milliseconds: number }) => Promise<Record<string, unknown>>;

const script = new URL('../../../src/surfaces/pages/client/morph.ts', import.meta.url);
const { fetchPage } = (await import(script.href)) as { readonly fetchPage: FetchPage };

const server = createServer((request, response) => {
  if (request.url === '/silent') return;
  response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': '100' });
  // Half of a page; then the connection is lost, or nothing more comes.
  response.write('<!doctype html>', () => {
    if (request.url === '/lost') response.destroy();
  });
});
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
after(() => {
  server.closeAllConnections();
  server.close();
});
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

it('WEB-07 a page whose connection is lost in the middle is an error, as if there was no connection', async () => {
  assert.equal((await fetchPage(`${base}/lost`))['reason'], 'offline');
});

it('WEB-07 a page that does not come, or not to its end, is given up after the time limit', async () => {
  for (const path of ['/silent', '/stuck']) {
    const { error, reason } = await fetchPage(base + path, { milliseconds: 50 });
    assert.match(String(error), /did not answer in time/, path);
    assert.equal(reason, undefined, path);
  }
});
