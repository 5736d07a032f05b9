import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import encodePng, { init as initPng } from '@jsquash/png/encode.js';
import { pictureSize } from '../../../src/providers/text-reader/formats/picture-size.ts';
import { decodePicture, reduced } from '../../../src/providers/text-reader/formats/picture-file.ts';
import { codec, webpImage } from '../../../src/providers/text-reader/formats/webp.ts';
import { pdfOf } from '../../support/documents.ts';
import { testPlatform } from '../../support/platform.ts';
import { tiffOf, type TiffParts } from '../../support/tiff.ts';

const p = await testPlatform({ after });
await p.admin.post('/api/role/save', { Role: 'All Reached', Permissions: '*', UniversalAccess: false });
const north = await p.firm('North', 'All Reached');
const south = await p.firm('South', 'All Reached');
const { key } = await p.user('a reader', 'Administrator');
const caseId = Number(
  (
    await p.admin.post('/api/foreclosure/save?Output=Json', {
      Foreclosure: 'IMG-1',
      OrganizationID: north.organizationId,
    })
  ).json()['ForeclosureID'],
);

async function upload(name: string, content: string | Uint8Array, by = p.admin): Promise<number> {
  const answer = await by.post('/api/attachment/save?Output=Json', {
    FileName: name,
    Content: Buffer.from(content).toString('base64'),
    Object: 'Foreclosure',
    ObjectID: caseId,
  });
  assert.equal(answer.status, 200, answer.text);
  return Number(answer.json()['AttachmentID']);
}

async function imageOf(id: number, query = '', apiKey = key): Promise<Buffer> {
  const response = await fetch(`${p.url}/api/attachment/pageimage?ID=${id}${query}`, {
    headers: { 'X-ApiKey': apiKey },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString());
  assert.equal(response.headers.get('content-type'), 'image/webp');
  return bytes;
}

/** Returns the size of the image of a page. */
async function imageSize(id: number, query = '', apiKey = key): Promise<unknown> {
  return pictureSize(await imageOf(id, query, apiKey));
}

const stored = async (id: number): Promise<readonly unknown[]> =>
  (
    await p.platform.store.query<{ page: number; width: number }>(
      'select page, width from documentimage where attachmentid = $1::bigint order by page, width',
      [id],
    )
  ).map(({ page, width }) => [page, width]);

/** Three by two pixels: red, green, red, then nothing, green, red. */
const GIF = gifOf();
/** Two by two pixels of 24 bits, the lowest row first: red, green, then blue, white. */
const BMP = Buffer.concat([
  Buffer.from('BM'),
  numbers(70, 0, 54, 40, 2, 2),
  Buffer.from([1, 0, 24, 0]),
  numbers(0, 16, 0, 0, 0, 0),
  Buffer.from([255, 0, 0, 255, 255, 255, 0, 0]),
  Buffer.from([0, 0, 255, 0, 255, 0, 0, 0]),
]);

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value, at * 4);
  return bytes;
}

/** Codes of three bits: clear, each pixel, clear in the middle so that they stay short, and the end. */
function gifOf(): Buffer {
  const codes = [4, 0, 1, 4, 0, 2, 4, 1, 0, 5];
  const bits = codes.map((code) => code.toString(2).padStart(3, '0').split('').toReversed().join('')).join('');
  const packed = (bits.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? []).map((byte) =>
    Number.parseInt(byte.split('').toReversed().join(''), 2),
  );
  return Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from([3, 0, 2, 0, 0x81, 0, 0]),
    Buffer.from([255, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.from([0x21, 0xf9, 4, 1, 0, 0, 2, 0]),
    Buffer.from([0x2c, 0, 0, 0, 0, 3, 0, 2, 0, 0]),
    Buffer.from([2, packed.length, ...packed, 0, 0x3b]),
  ]);
}

describe('images of pages', () => {
  it('DOC-04 KRN-21 are removed when the file is sealed, so that they do not show its numbers', async () => {
    const id = await upload('to-seal.pdf', await pdfOf('with 123-45-6789'));
    await imageOf(id, '&Width=900');
    assert.notDeepEqual(await stored(id), []);
    const sealed = await p.admin.post('/api/attachment/movefile?Output=Json', {
      ID: id,
      FileObject: 'Local',
      Sealed: true,
    });
    assert.equal(sealed.status, 200, sealed.text);
    assert.deepEqual(await stored(id), []);
  });

  it('DOC-04 WEB-01 the first page is drawn small while its text is read, others when somebody looks at them', async () => {
    const id = await upload('two.pdf', await pdfOf('first page', 'second page'));
    assert.equal((await p.admin.post('/api/attachment/readtext', {})).status, 200);
    assert.deepEqual(await stored(id), [[1, 240]]);
    assert.deepEqual(await imageSize(id, '&Width=240'), { width: 240, height: 311, format: 'webp' });
    assert.deepEqual(await imageSize(id, '&PageNumber=2'), { width: 900, height: 1165, format: 'webp' });
    assert.deepEqual(await stored(id), [
      [1, 240],
      [2, 900],
    ]);
  });

  it('DOC-04 the firm of the case sees them, another one does not', async () => {
    const id = await upload('of north.pdf', await pdfOf('seen by north'), north.caller);
    assert.deepEqual(await imageSize(id, '', north.key), { width: 900, height: 1165, format: 'webp' });
    assert.equal((await south.caller.get(`/api/attachment/pageimage?ID=${id}`)).status, 404);
    assert.equal((await south.caller.get(`/api/attachment/pagetext?ID=${id}&PageNumber=1`)).status, 404);
  });

  it('DOC-04 pictures are made smaller, never larger; transparent ones are on white', async () => {
    await initPng(await codec('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'));
    const data = new Uint8ClampedArray(1200 * 600 * 4).fill(0);
    const png = new Uint8Array(await encodePng({ data, width: 1200, height: 600 } as never));
    const id = await upload('wide.png', png);
    assert.deepEqual(await imageSize(id, '&Width=240'), { width: 240, height: 120, format: 'webp' });
    assert.deepEqual(await imageSize(id, '&Width=1600'), { width: 1200, height: 600, format: 'webp' });
    assert.deepEqual([...reduced({ width: 2, height: 1, data: data.slice(0, 8) }, 1).data], [255, 255, 255, 255]);
    const small = await webpImage({ width: 3, height: 2, data: data.slice(0, 24) });
    assert.deepEqual(pictureSize(small.bytes), { format: 'webp', width: 3, height: 2 });
  });

  it('DOC-04 scans in TIFF are drawn page by page, GIF and BMP pictures as they are', async () => {
    const page = (width: number, height: number): TiffParts => ({
      width,
      height,
      bytes: Buffer.alloc(Math.ceil(width / 8) * height, 0xaa),
    });
    const scan = await upload('scan.tif', tiffOf(page(800, 400), page(400, 800)));
    assert.deepEqual(await imageSize(scan, '&Width=240'), { width: 240, height: 120, format: 'webp' });
    assert.deepEqual(await imageSize(scan, '&Width=240&PageNumber=2'), { width: 240, height: 480, format: 'webp' });
    const refused = await p.admin.get(`/api/attachment/pageimage?ID=${scan}&PageNumber=3`);
    assert.equal(refused.status, 404, refused.text);
    assert.deepEqual(await imageSize(await upload('dot.gif', GIF)), { width: 3, height: 2, format: 'webp' });
    assert.deepEqual(await imageSize(await upload('dot.bmp', BMP)), { width: 2, height: 2, format: 'webp' });
    // The name does not decide what a file is: this one is a picture, and the next one is none.
    assert.deepEqual(await imageSize(await upload('letter.pdf', GIF)), { width: 3, height: 2, format: 'webp' });
    const none = await p.admin.get(
      `/api/attachment/pageimage?ID=${await upload('page.gif', '<script>alert(1)</script>')}`,
    );
    assert.equal(none.status, 422, none.text);
  });

  it('DOC-04 DOC-07 a scan in a form that is not drawn says so, and its text is recognized all the same', async () => {
    const tiled = await upload('tiles.tif', tiffOf({ width: 8, height: 1, bytes: Buffer.alloc(1), tags: { 322: 16 } }));
    const refused = await p.admin.get(`/api/attachment/pageimage?ID=${tiled}`);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /stored in tiles; save it as an ordinary TIFF or PDF file/);
    await p.admin.post('/api/attachment/readtext', {});
    const status = await p.admin.get(`/api/attachment/textstatus?Output=Json&ID=${tiled}`);
    assert.match(status.text, /"PageCount":1/);
    assert.doesNotMatch(status.text, /tiles/);
  });

  it('DOC-04 GIF and BMP files have the colors that they say; cut and hostile ones are refused', async () => {
    const [red, green, clear] = [
      [255, 0, 0, 255],
      [0, 255, 0, 255],
      [0, 0, 0, 0],
    ];
    assert.deepEqual([...((await decodePicture(GIF))?.data ?? [])], [red, green, red, clear, green, red].flat());
    const [blue, white] = [
      [0, 0, 255, 255],
      [255, 255, 255, 255],
    ];
    assert.deepEqual([...((await decodePicture(BMP))?.data ?? [])], [red, green, blue, white].flat());
    await assert.rejects(async () => decodePicture(BMP.subarray(0, 60)), /damaged/);
    const huge = Buffer.from(BMP);
    huge.writeInt32LE(0x7fffffff, 18);
    await assert.rejects(async () => decodePicture(huge), /more than 80 million pixels/);
    assert.equal(await decodePicture(GIF.subarray(0, 30)), undefined);
    const loop = Buffer.from(GIF);
    // A code that no sequence has yet.
    loop[loop.length - 6] = 4 + (7 << 3);
    await assert.rejects(async () => decodePicture(loop), /damaged/);
  });

  it('DOC-04 files without pages, damaged files and pages that do not exist are refused with the reason', async () => {
    const ids = [await upload('a.html', '<p>text'), await upload('broken.pdf', '%PDF-1.4 nothing')];
    const two = await upload('one.pdf', await pdfOf('only page'));
    const refusals = [
      await p.admin.get(`/api/attachment/pageimage?ID=${ids[0]}`),
      await p.admin.get(`/api/attachment/pageimage?ID=${ids[1]}`),
      await p.admin.get(`/api/attachment/pageimage?ID=${two}&PageNumber=2`),
      await p.admin.get(`/api/attachment/pageimage?ID=${two}&Width=10000`),
    ];
    assert.deepEqual(
      refusals.map(({ status }) => status),
      [422, 422, 404, 400],
    );
    assert.match(refusals[0]?.text ?? '', /no pages to show/);
    assert.match(refusals[1]?.text ?? '', /not a whole PDF file/);
    assert.match(refusals[2]?.text ?? '', /has 1 pages/);
  });

  it('DOC-04 the image of a replaced file is that of the new one, and of an earlier version its own', async () => {
    const id = await upload('v.pdf', await pdfOf('first'));
    const before = await imageOf(id);
    const Content = (await pdfOf('a much longer second text')).toString('base64');
    await p.admin.post('/api/attachment/save', { ID: id, FileName: 'v.pdf', Content });
    const now = await imageOf(id);
    const earlier = await imageOf(id, '&Version=1');
    assert.notDeepEqual(now, before);
    assert.deepEqual(earlier, before);
  });

  it('DOC-04 the words of a page are returned with their places', async () => {
    const id = await upload('words.pdf', await pdfOf('alpha beta'));
    const none = (await p.admin.get(`/api/attachment/pagetext?Output=Json&ID=${id}&PageNumber=1`)).json();
    assert.equal(none['Body'], undefined);
    await p.admin.post('/api/attachment/readtext', {});
    const { Body, Boxes } = (await p.admin.get(`/api/attachment/pagetext?Output=Json&ID=${id}&PageNumber=1`)).json();
    assert.equal(Body, 'alpha beta');
    assert.match(String(Boxes), /^0,\d+,\d+,\d+,\d+;6,\d+,\d+,\d+,\d+$/);
  });
});
