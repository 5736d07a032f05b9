import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { foreclosure, readAnswer } from '../../support/imports/referrals.ts';
import { ADMINISTRATOR_KEY, call, startServerProcess } from '../../support/processes/server-process.ts';
import { startedDataFolder } from '../../support/processes/started-folder.ts';

/** `npm run soak -- memory` sends more and larger ones; one of its rounds is 40 MB. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_MEMORY_ROUNDS'] ?? 0);
const MEGABYTES = ROUNDS > 0 ? 40 : 12;
/** The benchmark measures the product's own figure; this test must only catch a leak or a copy of the whole body. */
const PEAK_MEGABYTES_MAX = 400;
const MEGABYTE = 1024 * 1024;

const peak = (pid: number): number =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);

/** A referral with one large file, generated while it is sent: the sender's memory is not measured. */
function* referralWith(megabytes: number, hash: ReturnType<typeof createHash>): Generator<Buffer> {
  const [head = '', tail = ''] = foreclosure({
    rest:
      '<Attachments><AttachmentItem><FileName>large.bin</FileName><Template>Large</Template><Content>' +
      '<![CDATA[@@]]></Content></AttachmentItem></Attachments>',
  }).split('@@');
  yield Buffer.from(head);
  for (let n = 0; n < megabytes; n++) {
    const piece = Buffer.alloc(MEGABYTE - (MEGABYTE % 3), (n * 37) % 256);
    hash.update(piece);
    yield Buffer.from(piece.toString('base64'));
  }
  yield Buffer.from(tail);
}

test(
  'REF-06 a referral with a file of many megabytes streams through bounded memory and is stored unchanged',
  { skip: process.platform !== 'linux' && 'memory is read from /proc', timeout: 300_000 },
  async (t) => {
    const server = await startServerProcess(t, {
      env: { CASEWRIGHT_DATA: await startedDataFolder(t), CASEWRIGHT_LOG_LEVEL: 'warn' },
    });
    assert.equal(
      (await call(server.url, '/api/attachmenttemplate/save', 'AttachmentTemplate=Large&Repeatable=Many')).status,
      200,
    );
    for (let round = 0; round < Math.max(1, ROUNDS); round++) {
      const hash = createHash('sha256');
      const pieces = referralWith(MEGABYTES, hash);
      const response = await fetch(`${server.url}/api/import/foreclosure`, {
        method: 'POST',
        headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'text/xml; charset=utf-8' },
        duplex: 'half',
        body: new ReadableStream({
          pull(controller) {
            const next = pieces.next();
            if (next.done) controller.close();
            else controller.enqueue(next.value);
          },
        }),
      });
      const answer = readAnswer(response.status, await response.text());
      assert.equal(answer.http, 200, answer.text.slice(0, 2_000));
      const received = createHash('sha256');
      const download = await call(
        server.url,
        `/api/attachment/download?ID=${String(answer.of('Attachment')[0]?.objectId)}`,
      );
      for await (const part of download.body ?? []) received.update(part);
      assert.equal(received.digest('hex'), hash.digest('hex'));
    }
    const megabytes = peak(server.pid);
    t.diagnostic(`peak ${megabytes} MB after ${Math.max(1, ROUNDS)} files of ${MEGABYTES} MB`);
    assert.ok(megabytes <= PEAK_MEGABYTES_MAX, `the peak was ${megabytes} MB`);
  },
);
