import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { writeXml, xmlElement } from '../../../src/kernel/xml/element.ts';
import { PARAMETER_BYTES_MAX } from '../../../src/kernel/parameters/body-parameters.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';
import { echoOf, fixture } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const json = { 'Content-Type': 'application/json' };
const xml = { 'Content-Type': 'text/xml' };
const echo = '/api/probe/echo?Output=Json';
const any = '/api/probe/echoany?Output=Json';

function refused(answer: TestAnswer, status: number, code: string, field?: string): void {
  assert.equal(answer.status, status, answer.text);
  const error = answer.text.startsWith('{')
    ? (answer.json() as never as { Error: Record<string, unknown> }).Error
    : { Code: /Code="(\w+)"/.exec(answer.text)?.[1], Field: /<Field>([^<]*)</.exec(answer.text)?.[1] };
  assert.equal(error['Code'], code, answer.text);
  if (field !== undefined) assert.equal(error['Field'], field, answer.text);
}

describe('parameters', () => {
  it('KRN-07 the same parameters can be sent by query, form, JSON and XML, and mean the same', async () => {
    const sent = {
      Text: 'a&b=c+d %41 "<é😀>"',
      Amount: '1234567890123.4567',
      Count: '-12',
      Day: '2024-02-29',
      At: '2024-07-01T12:00:00+02:00',
      Flag: 'yes',
      ContactID: '7',
      IDs: '3,1,2',
      Words: 'x, y',
    };
    const query = new URLSearchParams(sent).toString();
    const answers = [
      await p.admin.get(`${echo}&${query}`),
      await p.admin.post(echo, query, form),
      await p.admin.post(
        echo,
        JSON.stringify({ ...sent, Amount: undefined }).replace('{', '{"Amount":1234567890123.4567,'),
        json,
      ),
      await p.admin.post(
        echo,
        JSON.stringify({ ...sent, Count: -12, Flag: true, ContactID: 7, IDs: [3, 1, 2], Words: ['x', 'y'] }),
        json,
      ),
      await p.admin.post(
        echo,
        writeXml(
          xmlElement(
            'Anything',
            Object.entries(sent).map(([name, value]) => xmlElement(name, value)),
          ),
        ),
        xml,
      ),
      await p.admin.post(echo, writeXml(xmlElement('Anything', [], sent)), {
        'Content-Type': 'application/xml; charset=utf-8',
      }),
    ];
    const expected = {
      Text: sent.Text,
      Count: -12,
      Day: '2024-02-29',
      At: '2024-07-01T10:00:00.000Z',
      Flag: true,
      ContactID: 7,
      IDs: [3, 1, 2],
      Words: ['x', 'y'],
    };
    for (const [i, answer] of answers.entries()) {
      const { Amount, ...rest } = echoOf(answer);
      assert.deepEqual(rest, expected, `way ${i}`);
      assert.equal(Amount, '1234567890123.4567', `way ${i}`);
    }
  });

  it('KRN-07 any text arrives unchanged by each of the four ways', async () => {
    // Without what XML 1.0 cannot represent; carriage returns are sent as references, which the writer produces.
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .map((t) => t.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '').trim())
      .filter((t) => t !== '');
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const query = `Text=${encodeURIComponent(value)}`;
        for (const answer of [
          await p.admin.get(`${echo}&${query}`),
          await p.admin.post(echo, query, form),
          await p.admin.post(echo, { Text: value }),
          await p.admin.post(echo, writeXml(xmlElement('E', [xmlElement('Text', value)])), xml),
        ]) {
          assert.deepEqual(echoOf(answer), { Text: value });
        }
      }),
      { numRuns: 25 },
    );
  });

  it('KRN-07 path wins over query, query over body, without regard to case', async () => {
    const answer = await p.admin.post('/api/probe/lists/path/items/1?Output=Json&text=query&FLAG=true', {
      Text: 'body',
      count: 3,
      Flag: false,
      Day: '2024-01-01',
    });
    assert.deepEqual(echoOf(answer), { Text: 'path', Count: 1, Flag: true, Day: '2024-01-01' });
  });

  it('KRN-07 a name sent twice is a list, in any case and by each way', async () => {
    for (const answer of [
      await p.admin.get(`${any}&A=1&a=2&A=3`),
      await p.admin.post(any, 'A=1&a=2&A=3', form),
      await p.admin.post(any, '{"A":["1","2"],"a":"3"}', json),
      await p.admin.post(any, '<X><A>1</A><a>2</a><A>3</A></X>', xml),
    ]) {
      assert.deepEqual(echoOf(answer), { A: ['1', '2', '3'] });
    }
    refused(await p.admin.get(`${echo}&Text=1&Text=2`), 400, 'BAD_PARAMETER', 'Text');
  });

  it('KRN-07 nested JSON and XML become the flat names', async () => {
    const flat = {
      Contacts_0_FirstName: 'A',
      Contacts_0_Methods_0_ContactValue: 'v',
      Contacts_1_FirstName: 'B',
      Property_Address: 'Main St',
    };
    const nested = {
      Contacts: [{ FirstName: 'A', Methods: [{ ContactValue: 'v' }] }, { FirstName: 'B' }],
      Property: { Address: 'Main St' },
    };
    const tree =
      '<LoanItem><Contacts><ContactItem><FirstName>A</FirstName>' +
      '<Methods><ContactMethodItem><ContactValue>v</ContactValue></ContactMethodItem></Methods></ContactItem>' +
      '<ContactItem><FirstName>B</FirstName></ContactItem></Contacts>' +
      '<Property><Address>Main St</Address></Property></LoanItem>';
    for (const answer of [
      await p.admin.post(any, new URLSearchParams(flat).toString(), form),
      await p.admin.post(any, nested),
      await p.admin.post(any, tree, xml),
      await p.admin.post(any, `<LoanCollection>${tree}</LoanCollection>`, xml),
    ]) {
      assert.deepEqual(echoOf(answer), flat);
    }
  });

  it('a comparison may take the place of the equals sign', async () => {
    const answer = await p.admin.get(`${any}&A>=1&B<=2&C>3&D<4&E!=5&F<>6&G=%3E%3D7`);
    assert.deepEqual(echoOf(answer), { A: '>=1', B: '<=2', C: '>3', D: '<4', E: '<>5', F: '<>6', G: '>=7' });
  });

  it("unknown names are refused with the nearest known ones, and no name reaches an object's prototype", async () => {
    const answer = await p.admin.get(`${echo}&Amuont=1`);
    refused(answer, 400, 'UNKNOWN_PARAMETER', 'Amuont');
    assert.match(answer.text, /Did you mean Amount/);
    const start = await p.admin.post('/api/ledgeritem/save?Output=Json', 'Amount=1', form);
    assert.match(start.text, /Did you mean AmountMoney or AmountDecimal/);
    assert.match((await p.admin.get('/api/inbox/search?Output=Json')).text, /Known: Threads, Unread\./);
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      refused(await p.admin.get(`${echo}&${name}=1`), 400, 'UNKNOWN_PARAMETER', name);
      refused(await p.admin.get(`${echo}&${name}=1&${name}=2`), 400, 'UNKNOWN_PARAMETER', name);
      refused(
        await p.admin.post('/api/contact/save?Output=Json', `${name}=1&${name}=2`, form),
        400,
        'UNKNOWN_PARAMETER',
        name,
      );
    }
    refused(
      await p.admin.post('/api/contact/save?Output=Json', '{"__proto__":{"FirstName":"x"}}', json),
      400,
      'UNKNOWN_PARAMETER',
      '__proto___FirstName',
    );
    refused(
      await p.admin.post('/api/contact/save?Output=Json', 'Contacts_0___proto__=1&Contacts_0___proto__=2', form),
      400,
      'UNKNOWN_PARAMETER',
      'Contacts_0___proto__',
    );
  });
});

describe('bodies', () => {
  it('the content type is read whatever the size of the body and the case of the header', async () => {
    for (const length of [10, 100_000])
      for (const name of ['Content-Type', 'content-type', 'CONTENT-TYPE']) {
        const answer = await p.admin.post(echo, `${' '.repeat(length)}{"Text":"a"}`, {
          [name]: 'application/json',
        });
        assert.equal(answer.status, 200, `${name} ${length}: ${answer.text.slice(0, 300)}`);
      }
  });

  it('an unreadable content type is 415, an empty body of any type is none', async () => {
    for (const type of ['application/octet-stream', 'text/plain', 'multipart/mixed; boundary=x', 'application/jsonx'])
      refused(await p.admin.post(echo, 'Text=a', { 'Content-Type': type }), 415, 'UNREADABLE_TYPE');
    refused(await p.admin.post('/api/probe/echo', 'Text=a', { 'Content-Type': 'garbage;;;' }), 415, 'UNREADABLE_TYPE');
    for (const body of ['{"Text": "a"}', ' {\n}', '[{"Text": "a"}]'])
      refused(await p.admin.post('/api/probe/echo', body, form), 415, 'UNREADABLE_TYPE');
    assert.deepEqual(echoOf(await p.admin.post(`${echo}&Text=a`, '', { 'Content-Type': 'application/octet-stream' })), {
      Text: 'a',
    });
  });

  it('KRN-07 a form with files is read: texts, repeated names and files as base64 with their name', async () => {
    const boundary = '----probe';
    const multipart = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
    const part = (head: string, content: string): string =>
      `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
    const end = `--${boundary}--\r\n`;
    assert.deepEqual(echoOf(await p.admin.post(echo, part('name="Text"', 'ü & = +%') + end, multipart)), {
      Text: 'ü & = +%',
    });
    const listed = part('name="Status"', 'Open') + part('name="Status"', 'Closed') + end;
    assert.equal((await p.admin.post('/api/contact/search', listed, multipart)).status, 200);
    const file = part('name="Content"; filename="letter ü.txt"', 'Dear Sir') + end;
    const saved = await p.admin.post('/api/attachment/save?Output=Json', file, multipart);
    assert.equal(saved.status, 200, saved.text);
    const id = String(saved.json()['AttachmentID']);
    assert.equal((await p.admin.get(`/api/attachment/download?ID=${id}`)).text, 'Dear Sir');
    const [{ filename } = {}] = await p.platform.store.query<{ filename: string }>(
      'select filename from attachment where attachmentid = $1::bigint',
      [id],
    );
    assert.equal(filename, 'letter ü.txt');
    for (const broken of [part('name="Text"', 'x'), 'no form', part('name="Text"', 'x').replace('probe', 'other')])
      refused(await p.admin.post(echo, broken, multipart), 400, 'BAD_PARAMETER');
    refused(await p.admin.post(echo, file, { 'Content-Type': 'multipart/form-data' }), 400, 'BAD_PARAMETER');
    for (const head of ['', 'filename="x"', 'name=""', 'name="__proto__"'])
      assert.equal((await p.admin.post(echo, part(head, 'x') + end, multipart)).status, 400, head);
    const many = await p.admin.post(echo, part('name="Text"', 'x').repeat(50_000) + end, multipart);
    assert.equal(many.status, 413, many.text);
    const latin = Buffer.from(part('name="Text"', '\xe9') + end, 'latin1');
    refused(await p.admin.post(echo, new Uint8Array(latin), multipart), 400, 'BAD_PARAMETER');
  });

  it('a body that is not a JSON object, an XML document or UTF-8 is refused as such', async () => {
    for (const body of ['{', '[1]', '"text"', '1', 'null', '{"a":1,}', '{"a":NaN}'])
      refused(await p.admin.post(echo, body, json), 400, 'BAD_JSON');
    const misplaced = (await p.admin.post(echo, '{\n  "Text": "secret",\n}', json)).text;
    assert.match(misplaced, /not well-formed JSON: line 3 column 1\./);
    assert.doesNotMatch(misplaced, /secret/);
    for (const body of ['<a>', '<a/><b/>', 'text', '<!DOCTYPE a><a/>', '<a>&x;</a>'])
      refused(await p.admin.post(echo, body, xml), 400, 'BAD_XML');
    const latin = new Uint8Array([...Buffer.from('Text='), 0xe9]);
    refused(await p.admin.post(echo, latin, form), 400, 'BAD_PARAMETER');
    refused(
      await p.admin.post(echo, new Uint8Array([...Buffer.from('{"Text":"'), 0xff, ...Buffer.from('"}')]), json),
      400,
      'BAD_JSON',
    );
  });

  it('invalid percent escapes, NUL and lone surrogates are refused wherever they are', async () => {
    for (const query of ['Text=%', 'Text=%zz', 'Text=%ff', '%zz=1']) {
      refused(await p.admin.get(`${echo}&${query}`), 400, 'BAD_PARAMETER');
      refused(await p.admin.post(echo, query, form), 400, 'BAD_PARAMETER');
    }
    refused(await p.admin.get('/api/probe/%zz'), 400, 'BAD_PARAMETER');
    refused(await p.admin.get('/api/probe/lists/%ff/items/1'), 400, 'BAD_PARAMETER');
    refused(await p.admin.get(`${echo}&Text=a%00b`), 400, 'BAD_PARAMETER', 'Text');
    refused(await p.admin.post(echo, '{"Text":"\\u0000"}', json), 400, 'BAD_PARAMETER', 'Text');
    refused(await p.admin.post(echo, '{"Text":"\\ud800"}', json), 400, 'BAD_PARAMETER', 'Text');
    refused(
      await p.admin.post('/api/contact/search?Output=Json', '{"LastName":"\\ud800"}', json),
      400,
      'BAD_PARAMETER',
      'LastName',
    );
    refused(await p.admin.get('/api/contact/search?Output=Json&LastName=%00'), 400, 'BAD_PARAMETER', 'LastName');
  });

  it('nests at most 12 deep and takes at most 20,000 parameters', async () => {
    const deep = (levels: number): unknown => (levels === 0 ? 'x' : { a: deep(levels - 1) });
    assert.equal((await p.admin.post(any, deep(12) as object)).status, 200);
    refused(await p.admin.post(any, deep(13) as object), 400, 'BAD_PARAMETER');
    refused(await p.admin.post(any, `${'<a>'.repeat(20)}x${'</a>'.repeat(20)}`, xml), 400, 'BAD_PARAMETER');
    refused(await p.admin.post(any, `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, json), 400, 'BAD_PARAMETER');
    const many = (n: number): string => Array.from({ length: n }, (_, i) => `a${i}=1`).join('&');
    assert.equal((await p.admin.post(any, many(20_000), form)).status, 200);
    refused(await p.admin.post(any, many(20_001), form), 413, 'TOO_LARGE');
    refused(await p.admin.post(any, 'a=1&'.repeat(20_001), form), 413, 'TOO_LARGE');
  });

  it('amounts never pass through floating point on the way in, to the store, and out', async () => {
    const amount = '123456789012345.6789';
    const saved = await p.admin.post(
      '/api/chore/save?Output=Json',
      `{"Chore":"exact","Amount":${amount},"Ratio":0.123456789012345678,"Note":1.10}`,
      json,
    );
    assert.match(saved.text, new RegExp(`"Amount":${amount}[,}]`));
    const id = String(saved.json()['ChoreID']);
    const read = await p.admin.get(`/api/chore/${id}?Output=Json`);
    assert.match(read.text, /"Ratio":0\.123456789012345678[,}]/);
    assert.match((await p.admin.get(`/api/chore/${id}`)).text, new RegExp(`<Amount>${amount}</Amount>`));
    assert.match(
      (await p.admin.get(`/api/chore/search?Output=Csv&SqlColumns=Amount&Amount=${amount}`)).text,
      new RegExp(`^Amount,RecordCount,RecordCountIsEstimate\r\n${amount},1,`),
    );
    await p.admin.post(`/api/chore/delete/${id}`);
    const history = await p.admin.get(`/api/chore/history/${id}?Output=Json`);
    assert.match(history.text, new RegExp(`"Field":"Amount","OldValue":"${amount}"`));
    assert.match(
      (await p.admin.post(`/api/chore/undelete/${id}?Output=Json`)).text,
      new RegExp(`"Amount":${amount}[,}]`),
    );
  });
});

/** Sends raw bytes and returns what came back until the other side was silent or closed. */
function exchange(head: string, until: RegExp): Promise<string> {
  const { hostname, port } = new URL(p.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no answer: ${text}`)));
    socket.on('data', (bytes) => {
      text += bytes.toString();
      if (until.test(text)) {
        socket.destroy();
        resolve(text);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
    socket.write(head);
  });
}

describe('large and broken requests', () => {
  it('a body declared too large gets 413 before it is read', async () => {
    const text = await exchange(
      `POST /api/probe/echo HTTP/1.1\r\nHost: x\r\nX-ApiKey: the-administrators-key-of-tests\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${PARAMETER_BYTES_MAX + 1}\r\n\r\n{"Text":`,
      /<\/Error>/,
    );
    assert.match(text, /^HTTP\/1\.1 413 /);
    assert.match(text, /Code="TOO_LARGE"/);
  });

  it('a body of undeclared length gets 413 once it exceeds the limit, and the sender gets the answer', async () => {
    const part = new Uint8Array(1024 * 1024).fill(0x61);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += part.length;
        if (sent > PARAMETER_BYTES_MAX + 8 * part.length) controller.close();
        else controller.enqueue(part);
      },
    });
    const answer = await fetch(`${p.url}/api/probe/echo`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'X-ApiKey': 'the-administrators-key-of-tests', ...json },
    });
    assert.equal(answer.status, 413);
    assert.match(await answer.text(), /Code="TOO_LARGE"/);
  });

  it('without credentials the body is not read, and the answer comes at once', async () => {
    const text = await exchange(
      `POST /api/probe/echo HTTP/1.1\r\nHost: x\r\nUser-Agent: t\r\nContent-Type: application/json\r\n` +
        `Content-Length: 1000000000\r\n\r\n{`,
      /<\/Error>/,
    );
    assert.match(text, /^HTTP\/1\.1 401 /);
  });

  it('an address or header that is too long, and bytes that are not HTTP, are refused in the same format', async () => {
    const long = await exchange(
      `GET /api/probe/echo?Text=${'a'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      /<\/Error>/,
    );
    assert.match(long, /^HTTP\/1\.1 431 [\s\S]*Code="TOO_LARGE"/);
    const garbage = await exchange('GARBAGE\r\n\r\n', /<\/Error>/);
    assert.match(garbage, /^HTTP\/1\.1 400 [\s\S]*Code="BAD_PARAMETER"/);
    assert.equal((await p.admin.get(`${echo}&Text=still+there`)).status, 200);
  });

  it('a query with a thousand IDs is accepted', async () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => 1_000_000 + i);
    assert.deepEqual(echoOf(await p.admin.get(`${echo}&IDs=${ids.join(',')}`)), { IDs: ids });
  });
});
