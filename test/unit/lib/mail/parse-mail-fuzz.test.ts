import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseMail } from '../../../../src/lib/mail/parse-mail.ts';
import { MailParseError } from '../../../../src/lib/mail/parsed-mail.ts';
import { unpackTnef } from '../../../../src/lib/mail/tnef.ts';
import { filePart, multipartMail, rawMail } from '../../../support/messages/raw-mail.ts';
import { packTnef } from '../../../support/messages/tnef.ts';

const head = {
  From: '"Anna, A." <anna@firm.example>, Team: b@firm.example;',
  To: '=?utf-8?Q?D=C3=B6rte?= <d@clerk.example>',
  Subject: '=?iso-8859-1?B?R3L832U=?= =?utf-7?Q?+AOQ-?=',
  Date: 'Mon, 02 Mar 2026 09:00:00 -0500',
  'Message-ID': '<one@firm.example>',
  References: '<a@b.example> <c@d.example>',
};
const container = packTnef(
  [
    [0x1000, 'Text'],
    [0x1009, Buffer.alloc(40, 7)],
  ],
  [{ title: 'a.pdf', data: Buffer.from('%PDF'), properties: [[0x3707, 'Deed.pdf']] }],
);
const calendar =
  'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID=X:20260302T090000\r\nORGANIZER;CN="A:B":mailto:a@b.example\r\n' +
  'END:VEVENT\r\nEND:VCALENDAR';
const status =
  'Reporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822;a@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n';
const samples: readonly Buffer[] = [
  rawMail({ ...head, 'Content-Type': 'text/plain; charset=utf-7; format=flowed' }, 'Gr+APwA3w-e \r\nnext'),
  multipartMail(head, 'multipart/mixed', [
    { headers: { 'Content-Type': 'text/html', 'Content-Transfer-Encoding': 'quoted-printable' }, content: '=E4<p>' },
    filePart('application/ms-tnef', 'winmail.dat', container),
    filePart('text/calendar; method=REQUEST', undefined, calendar),
    { headers: { 'Content-Type': 'message/rfc822' }, content: rawMail(head) },
  ]),
  multipartMail(head, 'multipart/report; report-type=delivery-status', [
    { headers: { 'Content-Type': 'message/delivery-status' }, content: status },
    { headers: { 'Content-Type': 'text/rfc822-headers' }, content: rawMail(head) },
  ]),
];

/** A change of bytes: where (of the length), how many go, and what comes. */
const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  gone: fc.nat({ max: 40 }),
  added: fc.oneof(
    fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('\r\n', '\r\n\r\n', '--part-', '=?', '?=', '\0', ';', '"', '(', '<', '>', ':', '+', '\xff')
      .map((piece) => Buffer.from(piece, 'latin1')),
  ),
});

function changed(source: Buffer, changes: readonly { at: number; gone: number; added: Buffer }[]): Buffer {
  return changes.reduce((bytes, { at, gone, added }) => {
    const from = Math.floor(at * bytes.length);
    return Buffer.concat([bytes.subarray(0, from), added, bytes.subarray(from + gone)]);
  }, source);
}

describe('MSG-05 a damaged mail', () => {
  it('is parsed or refused, and its texts can be stored', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...samples),
      fc.array(change, { minLength: 1, maxLength: 12 }),
      async (sample, changes) => {
        const mail = await parseMail(changed(sample, changes)).catch((error: unknown) => {
          assert.ok(error instanceof MailParseError, String(error));
          assert.ok(['TooManyParts', 'Unreadable'].includes(error.reason), error.message);
        });
        if (!mail) return;
        const { attachments, ...values } = mail;
        const texts = JSON.stringify([values, attachments.map(({ bytes: _bytes, ...file }) => file)]);
        assert.doesNotMatch(texts, /\\u0000|\\ud[89a-f]/);
      },
    );
    await fc.assert(property, { numRuns: 400 });
  });

  it('may have a damaged container', () => {
    const property = fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
      unpackTnef(changed(container, changes));
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});
