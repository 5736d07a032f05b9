import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { plainPng } from '../../../src/lib/pdf/plain-png.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, check]);
}

/** The head of a picture in RGB. */
function head(width: number, height: number, interlace = 0): Buffer {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, interlace]);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  return chunk('IHDR', data);
}

const rows = (bytes: number): Buffer => chunk('IDAT', deflateSync(Buffer.alloc(bytes)));
const END = chunk('IEND', Buffer.alloc(0));
const file = (...chunks: Buffer[]): Buffer => Buffer.concat([SIGNATURE, ...chunks, END]);

describe('plainPng', () => {
  const picture = file(head(4, 2), rows(2 * 13));

  it('DOC-02 returns a picture as it is, also one of several pieces', async () => {
    assert.deepEqual(await plainPng(picture), picture);
    const packed = deflateSync(Buffer.alloc(26));
    const pieces = file(head(4, 2), chunk('IDAT', packed.subarray(0, 5)), chunk('IDAT', packed.subarray(5)));
    assert.deepEqual(await plainPng(pieces), pieces);
    const interlaced = file(head(1, 1, 1), rows(4));
    assert.deepEqual(await plainPng(interlaced), interlaced);
  });

  it('DOC-02 leaves out texts, frames and a second head, which could unpack to any size', async () => {
    const text = chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(1_000_000))]));
    const frames = [chunk('acTL', Buffer.alloc(8)), chunk('fcTL', Buffer.alloc(26)), chunk('fdAT', Buffer.alloc(9))];
    const hostile = file(head(4, 2), text, ...frames, head(60_000, 60_000), rows(26), chunk('CgBI', Buffer.alloc(4)));
    assert.deepEqual(await plainPng(hostile), picture);
  });

  it('DOC-02 refuses a picture that unpacks to more than its width and height, and a damaged one', async () => {
    assert.equal(await plainPng(file(head(4, 2), rows(5_000_000))), undefined);
    assert.equal(await plainPng(file(head(4, 2), chunk('IDAT', Buffer.from('no zlib')))), undefined);
    assert.equal(await plainPng(file(rows(26))), undefined);
    assert.equal(await plainPng(picture.subarray(0, 40)), undefined);
    assert.equal(await plainPng(SIGNATURE), undefined);
  });
});
