import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MailParseError } from '../../../../src/lib/mail/parsed-mail.ts';
import { parseMail, parseMails } from '../../../../src/lib/mail/parse-mail.ts';
import { filePart, multipartMail, rawMail } from '../../../support/messages/raw-mail.ts';
import { packTnef } from '../../../support/messages/tnef.ts';

const head = {
  From: 'Anna Attorney <anna@firm.example>',
  To: 'cases@clerk.example',
  Subject: 'Deed of trust',
  Date: 'Mon, 02 Mar 2026 09:00:00 -0500 (EST)',
  'Message-ID': '<one@firm.example>',
};
const text = (content: string, type = 'text/plain') => ({ headers: { 'Content-Type': type }, content });
const failsWith = (reason: string) => (error: unknown) =>
  error instanceof Error && error.name === 'MailParseError' && 'reason' in error && error.reason === reason;

describe('MSG-05 headers of a received mail', () => {
  it('name people, times and the thread', async () => {
    const mail = await parseMail(
      rawMail({
        ...head,
        Cc: '"Berg, Bo" <bo@firm.example>, Team: carl@firm.example, "=?utf-8?B?RMO2cnRl?=" <d@firm.example>;',
        'Reply-To': 'office@firm.example',
        'In-Reply-To': '<zero@clerk.example>',
        References: '<first@clerk.example>\r\n <zero@clerk.example>',
        'Return-Path': '<anna@firm.example>',
        'Delivered-To': 'r+1-0123456789abcdef@reply.example',
        'List-ID': 'Court notices <notices.court.example>',
      }),
    );
    assert.deepEqual(
      { ...mail, attachments: mail.attachments.length },
      {
        messageId: 'one@firm.example',
        inReplyTo: 'zero@clerk.example',
        references: ['first@clerk.example', 'zero@clerk.example'],
        date: '2026-03-02T14:00:00.000Z',
        subject: 'Deed of trust',
        from: { address: 'anna@firm.example', name: 'Anna Attorney' },
        to: [{ address: 'cases@clerk.example' }],
        cc: [
          { address: 'bo@firm.example', name: 'Berg, Bo' },
          { address: 'carl@firm.example' },
          { address: 'd@firm.example', name: 'Dörte' },
        ],
        bcc: [],
        replyTo: [{ address: 'office@firm.example' }],
        deliveredTo: ['r+1-0123456789abcdef@reply.example'],
        returnPath: 'anna@firm.example',
        listId: 'Court notices <notices.court.example>',
        authentication: [],
        autoSubmitted: false,
        text: 'Hello.',
        html: null,
        attachments: 0,
        calendar: [],
        report: null,
        warnings: [],
      },
    );
  });

  it('are null where they are missing or unreadable: a date never becomes now', async () => {
    for (const date of ['yesterday', '', '99 Foo 2026', 'Mon, 32 Mar 2026 09:00:00', '1 Jan 1801 00:00:00 +0000'])
      assert.equal((await parseMail(rawMail({ ...head, Date: date }))).date, null, date);
    const none = await parseMail(Buffer.from('no header at all'));
    assert.deepEqual([none.from, none.date, none.messageId, none.subject, none.to], [null, null, null, '', []]);
    const empty = await parseMail(Buffer.alloc(0));
    assert.deepEqual([empty.text, empty.html, empty.from], [null, null, null]);
  });

  it('count once: the first From and Subject win', async () => {
    const twice = Buffer.concat([
      Buffer.from('From: first@firm.example\r\nSubject: First\r\nFrom: second@evil.example\r\n'),
      rawMail({ Subject: 'Second', To: 'a@b.example' }),
    ]);
    const mail = await parseMail(twice);
    assert.deepEqual([mail.from?.address, mail.subject], ['first@firm.example', 'First']);
  });

  it('keep the first 5 and last 45 references of a long thread', async () => {
    const all = Array.from({ length: 2_000 }, (_, n) => `<${n}@firm.example>`);
    const { references } = await parseMail(rawMail({ ...head, References: all.join('\r\n ') }));
    assert.equal(references.length, 50);
    assert.deepEqual(
      [references[0], references[4], references[5], references[49]],
      ['0@firm.example', '4@firm.example', '1955@firm.example', '1999@firm.example'],
    );
  });

  it('are decoded from 8-bit charsets without encoding, and from UTF-7', async () => {
    const mail = await parseMail(rawMail({ ...head, From: 'J\xfcrgen <j@firm.example>', Subject: 'Gr\xfc\xdfe' }));
    assert.deepEqual([mail.from?.name, mail.subject], ['Jürgen', 'Grüße']);
    const utf7 = await parseMail(rawMail({ ...head, Subject: '=?UTF-7?Q?Gr+APwA3w-e?=' }));
    assert.equal(utf7.subject, 'Grüße');
  });

  it('lose NUL and other control characters, and addresses that are none', async () => {
    const mail = await parseMail(
      rawMail({ ...head, Subject: 'a\0b\tc', To: 'nobody, <a b@b.example>, ok@b.example, "x" <y@>' }, 'x\0y'),
    );
    assert.deepEqual([mail.subject, mail.text, mail.to], ['a b c', 'xy', [{ address: 'ok@b.example' }]]);
  });

  it('lose what reorders a name, and addresses with characters that nobody sees', async () => {
    const bytes = (value: string): string => Buffer.from(value).toString('latin1');
    const mail = await parseMail(
      rawMail({
        ...head,
        Subject: bytes('\u202egnitirw lamron\u202c'),
        From: bytes('"\u202emoc.knab@ofni" <evil@other.example>'),
        To: bytes('\u202eoc@other.example, in\u200bfo@bank.example, \u05d0@other.example'),
      }),
    );
    assert.deepEqual(
      [mail.subject, mail.from, mail.to],
      [
        'gnitirw lamron',
        { address: 'evil@other.example', name: 'moc.knab@ofni' },
        [{ address: '\u05d0@other.example' }],
      ],
    );
  });

  it('say whether a program wrote the mail', async () => {
    const machine: readonly Record<string, string>[] = [
      { 'Auto-Submitted': 'auto-replied' },
      { Precedence: 'bulk' },
      { 'X-Auto-Response-Suppress': 'All' },
      { 'Return-Path': '<>' },
      { 'X-Autoreply': 'yes' },
    ];
    for (const more of machine)
      assert.equal((await parseMail(rawMail({ ...head, ...more }))).autoSubmitted, true, JSON.stringify(more));
    const { autoSubmitted } = await parseMail(rawMail({ ...head, 'Auto-Submitted': 'no', 'X-Other': 'auto' }));
    assert.equal(autoSubmitted, false);
  });
});

describe('MSG-05 the text of a received mail', () => {
  const encoded: readonly (readonly [charset: string, content: Buffer, expected: string])[] = [
    ['utf-7', Buffer.from('Gr+APwA3w-e +- 1'), 'Grüße + 1'],
    ['iso-8859-1', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'Grüße'],
    ['us-ascii', Buffer.from('Grüße'), 'Grüße'],
    ['utf-8', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'Grüße'],
    ['no-such-charset', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'Grüße'],
    ['iso-2022-jp', Buffer.from('\x1b$BF|K\\\x1b(B', 'latin1'), '日本'],
    ['windows-1251', Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]), 'Привет'],
    ['gb2312', Buffer.from([0xc4, 0xe3, 0xba, 0xc3]), '你好'],
  ];
  for (const [charset, content, expected] of encoded)
    it(`is read in ${charset}${charset === 'us-ascii' ? ' although it is UTF-8' : ''}`, async () => {
      const mail = await parseMail(rawMail({ ...head, 'Content-Type': `text/plain; charset=${charset}` }, content));
      assert.equal(mail.text?.trim(), expected);
    });

  it('is read without a closing boundary, and with line ends and characters in its base64 that do not belong', async () => {
    const whole = multipartMail(head, 'multipart/mixed', [text('Hello.'), filePart('application/pdf', 'a.pdf', 'PDF')]);
    const open = await parseMail(whole.subarray(0, whole.length - 20));
    assert.deepEqual([open.text, open.attachments.map(({ fileName }) => fileName)], ['Hello.', ['a.pdf']]);
    const dirty = rawMail({ ...head, 'Content-Transfer-Encoding': 'base64' }, 'SG V\r\nsbG!8=\r\n');
    assert.equal((await parseMail(dirty)).text, 'Hello');
  });

  it('is cut where it is very long, which a warning says', async () => {
    const mail = await parseMail(rawMail(head, 'x'.repeat(2_000)), { textBytesMax: 1_000 });
    assert.equal(mail.text?.length, 1_000);
    assert.deepEqual(mail.warnings, ['The last 1001 bytes of the text were omitted: it is too long.']);
  });
});

describe('MSG-05 files of a received mail', () => {
  it('have safe names, types and their bytes; a nested mail is one file', async () => {
    const nested = multipartMail(head, 'multipart/mixed', [text('inner'), filePart('image/png', 'inner.png', 'PNG')]);
    const mail = await parseMail(
      multipartMail(head, 'multipart/mixed', [
        text('Hello.'),
        filePart('application/pdf', '../../etc/=?utf-8?Q?Deed_=E2=80=AEfdp.exe?=', Buffer.from('%PDF')),
        { headers: { 'Content-Type': 'message/rfc822' }, content: nested },
        filePart('application/octet-stream', undefined, 'x'),
        { ...text('a note'), headers: { 'Content-Type': 'text/plain; name="note.txt"' } },
        {
          headers: { 'Content-Type': "application/pdf; name*=iso-8859-1''Gr%FC%DFe.pdf" },
          content: '%PDF',
        },
      ]),
    );
    assert.equal(mail.text?.trim(), 'Hello.');
    assert.deepEqual(
      mail.attachments.map(({ fileName, mime }) => [fileName, mime]),
      [
        ['Deed  fdp.exe', 'application/pdf'],
        ['message.eml', 'message/rfc822'],
        ['attachment.bin', 'application/octet-stream'],
        ['note.txt', 'text/plain'],
        ['Grüße.pdf', 'application/pdf'],
      ],
    );
    assert.deepEqual(Buffer.from(mail.attachments[0]?.bytes ?? []), Buffer.from('%PDF'));
    assert.match(Buffer.from(mail.attachments[1]?.bytes ?? []).toString(), /inner\.png/);
  });

  it('that the HTML shows keep their content ID', async () => {
    const mail = await parseMail(
      multipartMail(head, 'multipart/related', [
        text('<img src="cid:logo@x">', 'text/html'),
        {
          headers: {
            'Content-Type': 'image/png',
            'Content-ID': '<logo@x>',
            'Content-Disposition': 'inline; filename=logo.png',
          },
          content: 'PNG',
        },
      ]),
    );
    assert.deepEqual([mail.text, mail.html?.trim()], [null, '<img src="cid:logo@x">']);
    assert.deepEqual(
      mail.attachments.map(({ fileName, contentId, isInline }) => [fileName, contentId, isInline]),
      [['logo.png', 'logo@x', true]],
    );
  });

  it('are unpacked from winmail.dat, with the text where the mail has none', async () => {
    const inner = Buffer.concat([Buffer.alloc(16), packTnef([[0x1000, 'Forwarded text']], [])]);
    const container = packTnef(
      [[0x1000, 'Text in the container']],
      [
        { title: 'DEED~1.PDF', data: Buffer.from('%PDF'), properties: [[0x3707, 'Deed Überprüfung.pdf']] },
        {
          properties: [
            [0x3701, inner],
            [0x3001, 'Forwarded'],
          ],
        },
      ],
    );
    const mail = await parseMail(
      multipartMail(head, 'multipart/mixed', [text(''), filePart('application/ms-tnef', 'winmail.dat', container)]),
    );
    assert.equal(mail.text, 'Text in the container');
    assert.deepEqual(
      mail.attachments.map(({ fileName, bytes }) => [fileName, Buffer.from(bytes).toString()]),
      [
        ['Deed Überprüfung.pdf', '%PDF'],
        ['Forwarded.txt', 'Forwarded text'],
      ],
    );
    const broken = await parseMail(
      multipartMail(head, 'multipart/mixed', [text('x'), filePart('application/ms-tnef', 'winmail.dat', 'no')]),
    );
    assert.deepEqual(
      broken.attachments.map(({ fileName }) => fileName),
      ['winmail.dat'],
    );
    assert.match(broken.warnings[0] ?? '', /not a readable container/);
  });

  it('of an invitation are summarized', async () => {
    const calendar = [
      'BEGIN:VCALENDAR',
      'METHOD:REQUEST',
      'BEGIN:VTIMEZONE',
      'TZID:America/New_York',
      'BEGIN:STANDARD',
      'DTSTART:19701101T020000',
      'END:STANDARD',
      'END:VTIMEZONE',
      'BEGIN:VEVENT',
      'UID:hearing-1@court.example',
      'SUMMARY:Hearing\\, motion for',
      '  relief',
      'DTSTART;TZID="America/New_York":20260302T090000',
      'DTEND:20260302T150000Z',
      'LOCATION:Room 4\\nSecond floor',
      'ORGANIZER;CN="Clerk: Court":mailto:clerk@court.example',
      'BEGIN:VALARM',
      'SUMMARY:not this',
      'END:VALARM',
      'END:VEVENT',
      'END:VCALENDAR',
    ];
    const mail = await parseMail(
      multipartMail(head, 'multipart/mixed', [
        text('Invitation'),
        { headers: { 'Content-Type': 'text/calendar; method=REQUEST' }, content: calendar.join('\r\n') },
      ]),
    );
    assert.deepEqual(mail.calendar, [
      {
        method: 'REQUEST',
        uid: 'hearing-1@court.example',
        summary: 'Hearing, motion for relief',
        start: '2026-03-02T09:00:00',
        end: '2026-03-02T15:00:00Z',
        timeZone: 'America/New_York',
        place: 'Room 4 Second floor',
        organizer: { address: 'clerk@court.example', name: 'Clerk: Court' },
      },
    ]);
    assert.equal(mail.attachments[0]?.fileName, 'invitation.ics');
  });
});

describe('MSG-15 reports', () => {
  const original = { headers: { 'Content-Type': 'message/rfc822' }, content: rawMail({ ...head, To: 'x@y.example' }) };
  const report = (type: string, content: string) =>
    multipartMail({ ...head, 'Return-Path': '<>' }, `multipart/report; report-type=${type}`, [
      text('Could not be delivered.'),
      { headers: { 'Content-Type': `message/${type}` }, content },
      original,
    ]);

  it('of delivery name each recipient; the original recipient wins, and delayed is no bounce', async () => {
    const several = await parseMail(
      report(
        'delivery-status',
        'Reporting-MTA: dns; mx.firm.example\r\n\r\n' +
          'Original-Recipient: rfc822;anna@firm.example\r\nFinal-Recipient: rfc822; a@inner.example\r\n' +
          'Action: failed\r\nStatus: 5.1.1 (unknown)\r\nDiagnostic-Code: smtp; 550 5.1.1 no such\r\n user\r\n\r\n' +
          'Final-Recipient: rfc822;<bo@firm.example>\r\nAction: Delayed\r\nStatus: 4.4.1\r\n',
      ),
    );
    assert.deepEqual(several.report, {
      kind: 'bounce',
      recipients: [
        { address: 'anna@firm.example', action: 'failed', status: '5.1.1', detail: '550 5.1.1 no such user' },
        { address: 'bo@firm.example', action: 'delayed', status: '4.4.1', detail: null },
      ],
      originalMessageId: 'one@firm.example',
    });
    assert.equal(several.autoSubmitted, true);
    assert.doesNotMatch(several.text ?? '', /Final-Recipient/);
    const kinds: readonly (readonly [string, string])[] = [
      ['delayed', 'delayed'],
      ['relayed', 'delivered'],
      ['expanded', 'delivered'],
      ['delivered', 'delivered'],
    ];
    for (const [action, kind] of kinds) {
      const content = `Reporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822;a@b.example\r\nAction: ${action}\r\n`;
      assert.equal((await parseMail(report('delivery-status', content))).report?.kind, kind);
    }
  });

  it('MSG-03 of reading name the recipient, what became of the mail, and the mail', async () => {
    const about = (lines: readonly string[]) => report('disposition-notification', `${lines.join('\r\n')}\r\n`);
    const { report: receipt } = await parseMail(
      about([
        'Reporting-UA: pc.firm.example; Mail 1.0',
        'Original-Recipient: rfc822;anna@firm.example',
        'Final-Recipient: rfc822;a@inner.example',
        'Original-Message-ID: <sent-1@clerk.example>',
        'Disposition: automatic-action/MDN-sent-automatically; displayed/error',
      ]),
    );
    assert.deepEqual(receipt, {
      kind: 'receipt',
      recipients: [{ address: 'anna@firm.example', action: 'displayed', status: null, detail: null }],
      originalMessageId: 'sent-1@clerk.example',
    });
    for (const broken of [['Disposition: displayed'], ['Final-Recipient: rfc822;a@b.example'], ['']])
      assert.deepEqual((await parseMail(about(broken))).report, {
        kind: 'receipt',
        recipients: [],
        originalMessageId: 'one@firm.example',
      });
  });

  it('of complaints name the recipient', async () => {
    const { report: complaint } = await parseMail(
      report(
        'feedback-report',
        'Feedback-Type: abuse\r\nUser-Agent: Box/1\r\nVersion: 1\r\nOriginal-Rcpt-To: <x@y.example>\r\n',
      ),
    );
    assert.deepEqual(complaint, {
      kind: 'complaint',
      recipients: [{ address: 'x@y.example', action: 'abuse', status: null, detail: 'Box/1' }],
      originalMessageId: 'one@firm.example',
    });
  });

  it('count only as the whole mail, not as a file that a person forwards', async () => {
    const status = { headers: { 'Content-Type': 'message/delivery-status' }, content: 'Action: failed' };
    const mail = await parseMail(multipartMail(head, 'multipart/mixed', [text('Look at this'), status]));
    assert.equal(mail.report, null);
    assert.equal(mail.attachments[0]?.fileName, 'delivery-status.txt');
  });
});

describe('several mails with one message', () => {
  it('MSG-05 are returned in order, and one that cannot be parsed stops no other', async () => {
    const many = Array.from({ length: 20 }, () => text('x'));
    const sources = [rawMail(head, 'One'), multipartMail(head, 'multipart/mixed', many), rawMail(head, 'Three')];
    const parsed = await parseMails(sources, { partsMax: 10 });
    assert.deepEqual(
      parsed.map((mail) => (mail instanceof MailParseError ? mail.reason : mail.text)),
      ['One', 'TooManyParts', 'Three'],
    );
    assert.equal(sources[0]?.toString().endsWith('One'), true, 'the source is not handed over');
  });

  it('MSG-05 that take too long together are parsed one by one, each with the limits of one', async () => {
    const large = rawMail(head, Buffer.alloc(3_000_000, 'x\r\n'));
    const parsed = await parseMails([large, large], { milliseconds: 1 });
    assert.deepEqual(
      parsed.map((mail) => (mail instanceof MailParseError ? mail.reason : mail.text)),
      ['TooSlow', 'TooSlow'],
    );
    assert.equal((await parseMails([rawMail(head, 'After')])).length, 1);
  });
});

describe('limits of parsing', () => {
  it('bound size, parts, depth, headers and time', async () => {
    const large = rawMail(head, Buffer.alloc(3_000_000, 'x\r\n'));
    await assert.rejects(parseMail(large, { sourceBytesMax: 1_000_000 }), failsWith('TooLarge'));
    await assert.rejects(parseMail(pieces(large), { sourceBytesMax: 1_000_000 }), failsWith('TooLarge'));
    await assert.rejects(parseMail(large, { milliseconds: 1 }), failsWith('TooSlow'));
    const many = Array.from({ length: 20 }, () => text('x'));
    await assert.rejects(
      parseMail(multipartMail(head, 'multipart/mixed', many), { partsMax: 10 }),
      failsWith('TooManyParts'),
    );
    await assert.rejects(parseMail(rawMail(head), { headerBytesMax: 20 }), failsWith('Unreadable'));
    const nest = (n: number): string =>
      n === 0 ? '\r\nx' : `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n${nest(n - 1)}`;
    await assert.rejects(parseMail(Buffer.from(nest(60))), failsWith('Unreadable'));
    assert.equal((await parseMail(pieces(large))).text?.length, 1_999_999);
  });

  it('hold for mails that are made to take memory: short lines, padding, headers and addresses', async () => {
    const hostile: readonly Buffer[] = [
      rawMail(head, Buffer.alloc(2_000_000, '\n')),
      rawMail({ ...head, 'Content-Type': 'text/plain; format=flowed' }, Buffer.alloc(2_000_000, 'x \n')),
      rawMail({ ...head, 'Content-Transfer-Encoding': 'base64' }, Buffer.alloc(2_000_000, 'QQ=\n')),
      rawMail({ ...head, 'Content-Transfer-Encoding': 'quoted-printable' }, Buffer.alloc(2_000_000, '=\n')),
      rawMail({ ...head, To: 'a@b,'.repeat(200_000) }),
      rawMail({ ...head, Subject: '=?utf-8?Q?=41?= '.repeat(60_000) }),
      Buffer.alloc(1_000_000, 'a\n'),
    ];
    for (const mail of hostile)
      await parseMail(mail).catch((error: unknown) => assert.ok(failsWith('TooManyParts')(error), String(error)));
  });

  it('omit files and addresses beyond them, and the mail still arrives', async () => {
    const files = Array.from({ length: 5 }, (_, n) => filePart('application/pdf', `${n}.pdf`, 'x'.repeat(100)));
    const mail = await parseMail(
      multipartMail({ ...head, To: 'a@b.example, b@b.example, c@b.example' }, 'multipart/mixed', files),
      { attachmentsMax: 4, attachmentBytesMax: 350, addressesMax: 2 },
    );
    assert.deepEqual([mail.attachments.length, mail.to.length], [3, 2]);
    assert.deepEqual(mail.warnings, [
      '2 of 5 attachments were omitted: too many or too large.',
      'To has 3 addresses; the first 2 are shown.',
    ]);
  });

  it('pass on what reading the source throws', async () => {
    const broken = new Error('the line went dead');
    await assert.rejects(
      parseMail(
        (async function* (): AsyncIterable<Uint8Array> {
          throw broken;
        })(),
      ),
      broken,
    );
  });
});

async function* pieces(bytes: Buffer): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
