/** Writing messages from templates: merging, languages, stylesheets, Liquid, and the preview. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { mailsIn } from '../../support/peers/mail-server.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';

const on = await testPlatform({ after }, { worker: true });
const { admin } = on;

type Row = Record<string, unknown>;
interface Alert {
  readonly Code: string;
  readonly Text: string;
}

async function ok(path: string, body: object, caller: Caller = admin): Promise<Row & { Alerts?: Alert[] }> {
  const answer = await caller.post(`/api/${path}?Output=Json`, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.json();
}

async function refused(path: string, body: object, code: string, message: RegExp): Promise<void> {
  const answer = await admin.post(`/api/${path}?Output=Json`, body);
  assert.notEqual(answer.status, 200, answer.text);
  assert.match(answer.text, new RegExp(`"${code}"`), answer.text);
  assert.match(answer.text, message);
}

let made = 0;
/** Saves a template and returns its name. */
async function template(fields: object): Promise<string> {
  const name = `Template ${++made}`;
  await ok('messagetemplate/save', { MessageTemplate: name, AppliesTo: 'Foreclosure', ...fields });
  return name;
}

const { ForeclosureID } = await ok('foreclosure/save', {
  Foreclosure: 'FC-77',
  Status: 'Open',
  Contacts: [
    { LastName: 'Ames & <Co>', FirstName: 'Ann', Email: 'ann@borrower.example' },
    { LastName: 'Baker', FirstName: 'Bo', Email: 'bo@borrower.example' },
  ],
});
const about = { Object: 'Foreclosure', ObjectID: Number(ForeclosureID) };
const generate = (more: object): Promise<Row & { Alerts?: Alert[] }> =>
  ok('message/generate', { ...about, ToAddress: 'a@receiver.example', ...more });
/** Returns the messages and warnings of a call by field. */
const texts = ({ Message, BodyText, BodyHTML }: Row): unknown[] => [
  Message ?? null,
  BodyText ?? null,
  BodyHTML ?? null,
];

describe('merging', () => {
  it('MSG-01 {Field} is a value of the call, a column of the record, or the first element of that name below it', async () => {
    const Template = await template({
      Subject: '{Foreclosure}:\n{Mood}',
      BodyText: 'Dear {FirstName} {LastName}, {count(//ContactItem)} people, {//ContactItem[2]/LastName}. {Nothing}!',
      BodyHTML: '<style>p { color: red }</style><p>{LastName} {//ContactItem[position() &gt; 1]/LastName}</p>',
    });
    assert.deepEqual(texts(await generate({ Template, mood: 'glad & <b>' })), [
      'FC-77: glad & <b>',
      'Dear Ann Ames & <Co>, 2 people, Baker. !',
      '<style>p { color: red }</style><p>Ames &amp; &lt;Co&gt; Baker</p>',
    ]);
  });

  it('MSG-01 the name of a record below it is the number of that record, not everything in it', async () => {
    const { LoanID } = await ok('loan/save', { Loan: '0047718223', UPBAmount: '1000' });
    const { ForeclosureID: ObjectID } = await ok('foreclosure/save', { Foreclosure: 'FC-78', LoanID });
    const Template = await template({ Subject: 'Figures for loan {Loan}', BodyText: 'Balance {UPBAmount}' });
    const message = await generate({ Template, Object: 'Foreclosure', ObjectID });
    assert.deepEqual(texts(message), ['Figures for loan 0047718223', 'Balance 1000', null]);
  });

  it('MSG-01 what the call sends replaces the template and is not merged; MergeSubstitution=false merges nothing', async () => {
    const Template = await template({ Subject: 'On {Foreclosure}', BodyText: 'T {Status}', BodyHTML: '<p>H</p>' });
    assert.deepEqual(texts(await generate({ Template, Subject: '{Status}', BodyText: '{Status}' })), [
      '{Status}',
      '{Status}',
      null,
    ]);
    assert.deepEqual(texts(await generate({ Template, MergeSubstitution: false })), [
      'On {Foreclosure}',
      'T {Status}',
      '<p>H</p>',
    ]);
  });

  it('MSG-01 without a template, a misspelled parameter is refused with the nearest names, and nothing is sent', async () => {
    const to = { ...about, To: 'a@receiver.example', Subject: 'S' };
    for (const route of ['message/generate', 'message/send']) {
      await refused(route, { ...to, Body: 'T' }, 'UNKNOWN_PARAMETER', /"Body: .*Did you mean BodyHTML or BodyText\?/);
      await refused(route, { ...to, BodyText: 'T', Sbject: 'x' }, 'UNKNOWN_PARAMETER', /Sbject: .*Subject/);
    }
    assert.deepEqual(texts(await generate({ Subject: 'S', BodyText: 'T' })), ['S', 'T', null]);
  });

  it('MSG-17 Method is the source of the data before the record, and is called as the caller', async () => {
    const Template = await template({
      Subject: '{LastName} {Foreclosure}',
      BodyText: '{count(//ContactItem)}',
      Method: 'Contact/Search?Object=Foreclosure&ObjectID={ForeclosureID}&LastName={Wanted}',
    });
    assert.deepEqual(texts(await generate({ Template, Wanted: 'Baker' })).slice(0, 2), ['Baker FC-77', '1']);
    await refused(
      'messagetemplate/save',
      { MessageTemplate: 'Changes', Method: 'Contact/Save?ID=1' },
      'BAD_SIGNATURE',
      /only reads/,
    );
  });

  it('MSG-01 an invalid expression names itself and its text; SuppressSubstitutionErrors=false refuses one that finds nothing', async () => {
    const Template = await template({ Subject: 'To {Borower}', BodyText: '{Foreclosur} {LoanNumber}' });
    assert.deepEqual(texts(await generate({ Template })), ['To', ' ', null]);
    await ok('setting/save', { Setting: 'SuppressSubstitutionErrors', Value: 'false' });
    try {
      await refused(
        'message/generate',
        { ...about, Template, ToAddress: 'a@b.example', Subject: 'x' },
        'BAD_TEMPLATE',
        /BodyText: \{Foreclosur\} finds nothing in the data of Foreclosure \d+\. Did you mean Foreclosure/,
      );
    } finally {
      await ok('setting/save', { Setting: 'SuppressSubstitutionErrors', Value: 'true' });
    }
  });
});

describe('bodies', () => {
  it('MSG-01 BodyXsltID renders the body from the data, and its output is not merged', async () => {
    const stylesheet = `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
      <xsl:output method="html"/><xsl:template match="/"><ul><xsl:for-each select="//ContactItem">
      <li><xsl:value-of select="LastName"/></li></xsl:for-each></ul>{Status}</xsl:template></xsl:stylesheet>`;
    const { AttachmentID } = await ok('attachment/save', {
      FileName: 'body.xslt',
      Content: Buffer.from(stylesheet).toString('base64'),
    });
    const Template = await template({ Subject: 'S', BodyHTML: '<p>unused</p>', BodyXsltID: AttachmentID });
    const { BodyHTML } = await generate({ Template });
    assert.match(
      String(BodyHTML).replace(/\s+/g, ''),
      /^<ul><li>Ames&amp;&lt;Co&gt;<\/li><li>Baker<\/li><\/ul>\{Status\}$/,
    );
  });

  it('MSG-01 Liquid is an opt-in language: loops, filters, escaped values, no files; errors name the line', async () => {
    const Template = await template({
      BodyLanguage: 'Liquid',
      Subject: '{{ Foreclosure }} {Status}',
      BodyHTML: '{% for c in Contacts %}<li>{{ c.LastName }}</li>{% endfor %}{{ mood | default: "none" }}',
    });
    assert.deepEqual(texts(await generate({ Template, mood: '<i>' })), [
      'FC-77 {Status}',
      null,
      '<li>Ames &amp; &lt;Co&gt;</li><li>Baker</li>&lt;i&gt;',
    ]);
    await refused(
      'messagetemplate/save',
      { MessageTemplate: 'L1', BodyLanguage: 'Liquid', BodyText: 'a\n{{ x | nofilter }}' },
      'BAD_TEMPLATE',
      /BodyText: line 2: undefined filter: nofilter/,
    );
    await refused(
      'messagetemplate/save',
      { MessageTemplate: 'L2', BodyLanguage: 'Liquid', BodyText: '{% include "/etc/passwd" %}' },
      'BAD_TEMPLATE',
      /tag \\"include\\" not found/,
    );
  });
});

describe('the preview', () => {
  it('MSG-01 shows texts, recipients with where each comes from, and what is wrong, and stores nothing', async () => {
    const Template = await template({
      Subject: '{Foreclosur} {Foreclosure}',
      BodyText: 'Dear {FirstName}',
      CcAddress: 'desk@firm.example',
    });
    const before = await on.platform.store.query('select count(*) as n from message');
    const seen = await ok('message/preview', { ...about, Template, To: 'a@receiver.example', Extra: 'x' });
    assert.deepEqual([seen['Subject'], seen['BodyText']], ['FC-77', 'Dear Ann']);
    assert.deepEqual(
      (seen['Recipients'] as Row[]).map(({ Kind, Address, Source }) => [Kind, Address, Source]),
      [
        ['To', 'a@receiver.example', 'To'],
        ['Cc', 'desk@firm.example', 'CcAddress'],
      ],
    );
    const problems = seen['Problems'] as Row[];
    assert.match(String(problems[0]?.['Text']), /Subject: \{Foreclosur\} finds nothing.*Did you mean Foreclosure/);
    assert.match(JSON.stringify(problems), /Not used: Extra/);
    assert.deepEqual(await on.platform.store.query('select count(*) as n from message'), before);
  });

  it('MSG-01 of a template that is being edited shows each text that is right, and the error of each that is not', async () => {
    const seen = await ok('message/preview', {
      ...about,
      MessageTemplate_Subject: 'On {Foreclosure}',
      MessageTemplate_BodyText: 'Bad {count(//ContactItem}',
      MessageTemplate_BodyHTML: '<b>{Status}</b>',
      MessageTemplate_ToAddress: 'nobody',
    });
    assert.deepEqual([seen['Subject'], seen['BodyText'] ?? null, seen['BodyHTML']], ['On FC-77', null, '<b>Open</b>']);
    const problems = (seen['Problems'] as Row[]).map(({ Field, IsError }) => [Field, IsError]);
    assert.deepEqual(problems, [
      ['ToAddress', true],
      ['BodyText', true],
    ]);
    await refused('message/preview', { ...about, MessageTemplate_Sbject: 'x' }, 'UNKNOWN_PARAMETER', /Subject/);
  });
});

it('arrives', async () => {
  const Template = await template({ Subject: 'Mail {Foreclosure}', BodyText: 'Text', FromName: '{Foreclosure}' });
  const row = await generate({ Template, Cc: '"C, C" <c@receiver.example>', Bcc: 'A@receiver.example' });
  assert.equal(row['Status'], 'Queued');
  const mail = await eventually('the mail', async () =>
    mailsIn(on.mailFolder).find((each) => each.header('Subject') === 'Mail FC-77'),
  );
  assert.equal(mail.header('Message-ID'), `<${String(row['InternetMessageID'])}>`);
});
