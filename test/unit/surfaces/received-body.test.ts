import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { readAll } from '../../../src/kernel/parameters/body-parameters.ts';
import { receivedBody } from '../../../src/surfaces/shared/received-body.ts';

const pace = { silentMillisecondsMax: 100, checkMilliseconds: 10 };

/** A request that is never complete; `destroyed` is set when the connection is closed. */
const request = (): { complete: boolean; destroyed: boolean; destroy(): void } => ({
  complete: false,
  destroyed: false,
  destroy() {
    this.destroyed = true;
  },
});

const code = (error: unknown): string => (error instanceof PlatformError ? error.code : String(error));

test('KRN-24 a body whose client falls silent is refused as too slow, and one that trickles too', async () => {
  const silent = new Readable({ read: () => undefined });
  silent.push(Buffer.alloc(100));
  const received = readAll(receivedBody(silent, request(), undefined, pace), 1_000);
  await assert.rejects(received, (error) => code(error) === 'TOO_SLOW');

  let pieces = 0;
  const trickling = new Readable({ read: () => undefined });
  const trickle = (): unknown => trickling.push(Buffer.alloc(Math.min(1, ++pieces)));
  // Two at once: a busy machine may run no timer before the limit.
  trickle();
  trickle();
  const timer = setInterval(trickle, 20);
  const trickled = readAll(receivedBody(trickling, request(), undefined, pace), 1_000);
  await assert.rejects(trickled, (error) => code(error) === 'TOO_SLOW');
  clearInterval(timer);
  assert.ok(pieces > 1 && pieces < 50, `${pieces} pieces`);
});

test('KRN-24 only the client counts: a reader may take its time, and a body that arrives in time is read whole', async () => {
  const source = Readable.from([Buffer.from('abc'), Buffer.from('def')], { objectMode: false });
  const counted: number[] = [];
  const body = receivedBody(source, request(), (bytes) => void counted.push(bytes), pace);
  let text = '';
  for await (const piece of body) {
    text += Buffer.from(piece).toString();
    await once(AbortSignal.timeout(2 * pace.silentMillisecondsMax), 'abort');
  }
  assert.deepEqual([text, counted], ['abcdef', [3, 3]]);
});

test('KRN-24 a body that is refused by what counts it is released, so that the rest of it can be dropped', async () => {
  const source = Readable.from([Buffer.from('abc'), Buffer.from('def')], { objectMode: false });
  const refusal = new PlatformError('TOO_MANY');
  const body = receivedBody(source, request(), () => Promise.reject(refusal), pace);
  await assert.rejects(readAll(body, 1_000), (error) => error === refusal);
  assert.equal(source.destroyed, false);
  const rest: Buffer[] = [];
  for await (const piece of source) rest.push(piece as Buffer);
  assert.equal(Buffer.concat(rest).toString(), 'def');
});

test('KRN-24 a body that has arrived as its Content-Length says is read at once, and any other one piece by piece', async () => {
  const read = async (
    sent: { readonly bytes: string; readonly length?: string },
    limit = 1_000,
  ): Promise<{ text: string; counted: readonly number[]; isAtOnce: boolean }> => {
    const source = new Readable({ read: () => undefined });
    source.push(sent.bytes);
    const counted: number[] = [];
    const headers = sent.length === undefined ? {} : { 'content-length': sent.length };
    const body = receivedBody(source, { ...request(), headers }, (bytes) => void counted.push(bytes));
    const reading = readAll(body, limit);
    const isAtOnce = source.readableLength === 0;
    source.push('!');
    source.push(null);
    return { text: String(await reading), counted, isAtOnce };
  };
  assert.deepEqual(await read({ bytes: 'abc', length: '3' }), { text: 'abc', counted: [3], isAtOnce: true });
  assert.equal((await read({ bytes: 'abc', length: '4' })).text, 'abc!');
  assert.equal((await read({ bytes: 'abc' })).text, 'abc!');
  await assert.rejects(read({ bytes: 'abc', length: '3' }, 2), (error) => code(error) === 'TOO_LARGE');
});

test('KRN-24 a body that has arrived is refused by what counts it', async () => {
  const source = new Readable({ read: () => undefined });
  source.push('abc');
  const refusal = new PlatformError('TOO_MANY');
  const sent = { ...request(), headers: { 'content-length': '3' } };
  const body = receivedBody(source, sent, () => Promise.reject(refusal));
  await assert.rejects(readAll(body, 1_000), (error) => error === refusal);
});
