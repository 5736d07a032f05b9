import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { indexMessageTexts } from '../../../src/modules/messages/lib/reading/index-texts.ts';
import { client, type Client, type Row } from '../../support/client.ts';
import { testPlatform } from '../../support/platform.ts';

const on = await testPlatform({ after });
const admin = client(on);
const [north, south] = [await on.firm('North Law'), await on.firm('South Law')];
await admin.save('messagetemplate', { MessageTemplate: 'Mail', ExtranetEnabled: 'Self' });
const caseOf = async (OrganizationID: number): Promise<number> =>
  Number((await admin.save('foreclosure', { Status: 'Open', OrganizationID }))['ForeclosureID']);
const cases = [await caseOf(north.organizationId), await caseOf(south.organizationId)] as const;

/** Stores a message on the case of a firm, or on none. */
async function store(firm: 0 | 1 | undefined, fields: object): Promise<number> {
  const below = firm === undefined ? {} : { Object: 'Foreclosure', ObjectID: cases[firm] };
  return Number((await admin.save('message', { Template: 'Mail', ...below, ...fields }))['MessageID']);
}

const index = async (): Promise<void> => {
  while ((await indexMessageTexts.run(on.platform)) > 0);
};

async function find(text: string, by: Client = admin, more: object = {}): Promise<unknown[]> {
  return (await by.expectRows('message/search', { Text: text, ...more })).map((row) => row['MessageID']);
}

describe('search of messages by words', () => {
  it('MSG-11 finds subject, body, HTML, addresses and names of documents, in any form, with an excerpt', async () => {
    const id = await store(0, {
      Subject: 'Recording of the déed',
      BodyText: 'The payoffs for case 26-CV-1234567 were filed.',
      FromName: 'Quillfeather',
      FromAddress: 'q@marigold.example',
    });
    const html = await store(0, {
      Subject: 'x',
      BodyHTML: '<style>purple</style><p>Two<b>fold</b></p><td>sundry</td>',
    });
    await admin.save('messagerecipient', { MessageID: id, MessageRecipient: 'zeta@court.example', Name: 'Wisteria' });
    await admin.save('attachment', { Object: 'Message', ObjectID: id, FileName: 'heliotrope.txt', Content: 'YQ==' });
    assert.deepEqual(await find('payoff'), []);
    await index();
    for (const text of [
      ...['payoff', 'recorded', 'deed', '26cv1234567', '"case 26-CV-1234567"', 'quillfeather', 'marigold', 'zeta'],
      ...['wisteria', 'heliotrope', 'quillf*', 'payoff -missing', '"q@marigold.example"'],
    ])
      assert.deepEqual(await find(text), [id], text);
    for (const text of ['"payoff for"', 'payoff -filed', 'purple', 'secondary'])
      assert.deepEqual(await find(text), [], text);
    assert.deepEqual(await find('sundry'), [html]);
    const [row] = await admin.expectRows('message/search', { Text: 'payoff filing' });
    assert.match(
      String(row?.['Snippet']),
      /The <mark>payoffs<\/mark> for case 26-CV-1234567 were <mark>filed<\/mark>\./,
    );
    await admin.expectRefused('message/search', { Text: '-only' }, 'BAD_PARAMETER', 'Text');
    await admin.expectRefused('message/search', { Text: 'a', OrderBy: 'MessageID' }, 'BAD_PARAMETER', 'OrderBy');
  });

  it('MSG-11 ranks hits in the subject first, and combines words with other filters', async () => {
    const body = await store(0, { Subject: 'About', BodyText: 'A zephyr came.' });
    const subject = await store(1, { Subject: 'Zephyr', BodyText: 'It came.' });
    await index();
    assert.deepEqual(await find('zephyr'), [subject, body]);
    assert.deepEqual(await find('zephyr', admin, { Object: 'Foreclosure', ObjectID: cases[0] }), [body]);
    assert.deepEqual(await find('zephyr', admin, { Unread: true }), []);
    assert.deepEqual(await find('zephyr', admin, { DisplaySize: 1, RecordStart: 1 }), [body]);
  });

  it('MSG-11 follows changes of the text, the recipients, the documents and the firm', async () => {
    const id = await store(0, { Subject: 'Magnolia' });
    await index();
    await admin.save('message', { ID: id, Subject: 'Hibiscus' });
    const { MessageRecipientID } = await admin.save('messagerecipient', {
      MessageID: id,
      MessageRecipient: 'old@x.example',
    });
    await index();
    assert.deepEqual([await find('magnolia'), await find('hibiscus'), await find('old')], [[], [id], [id]]);
    await admin.save('messagerecipient', { ID: MessageRecipientID, MessageRecipient: 'newer@x.example' });
    const { AttachmentID } = await admin.save('attachment', { FileName: 'lantana.txt', Content: 'YQ==' });
    await admin.save('objectlink', {
      PrimaryObject: 'Message',
      PrimaryObjectID: id,
      LinkedObject: 'Attachment',
      LinkedObjectID: AttachmentID,
    });
    await index();
    assert.deepEqual([await find('old'), await find('newer'), await find('lantana')], [[], [id], [id]]);
    const [own, other] = [client(on, north.caller), client(on, south.caller)];
    assert.deepEqual([await find('hibiscus', own), await find('hibiscus', other)], [[id], []]);
    // A document that the firm does not see is no way to find its message.
    await admin.save('attachmenttemplate', { AttachmentTemplate: 'Internal', ExtranetEnabled: 'No' });
    const hidden = { Object: 'Message', ObjectID: id, Template: 'Internal', FileName: 'oleander.txt', Content: 'YQ==' };
    await admin.save('attachment', hidden);
    await index();
    assert.deepEqual(await find('oleander', own), []);
    // What was removed or renamed finds nothing any more.
    const added = await admin.save('attachment', {
      Object: 'Message',
      ObjectID: id,
      FileName: 'peony.txt',
      Content: 'YQ==',
    });
    await index();
    assert.deepEqual([await find('peony'), await find('lantana')], [[id], [id]]);
    await admin.expectOk('attachment/delete', { ID: added['AttachmentID'] });
    await admin.save('attachment', { ID: AttachmentID, FileName: 'verbena.txt' });
    await index();
    assert.deepEqual([await find('peony'), await find('lantana'), await find('verbena')], [[], [], [id]]);
    await admin.expectOk('attachment/delete', { ID: AttachmentID });
    await index();
    assert.deepEqual(await find('verbena'), []);
    await admin.save('message', { ID: id, Object: 'Foreclosure', ObjectID: cases[1] });
    assert.deepEqual([await find('hibiscus', own), await find('hibiscus', other)], [[], [id]], 'at once');
    await admin.expectOk('message/delete', { ID: id });
    assert.deepEqual(await find('hibiscus'), []);
  });

  it('MSG-11 KRN-21 agrees with a plain scan of every message, for staff and each firm', async () => {
    const words = ['azalea', 'begonia', 'camellia', 'dahlia', 'erica'];
    const messages: { readonly id: number; readonly firm: 0 | 1 | undefined; readonly text: readonly string[] }[] = [];
    const seeds = fc.sample(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }), {
      numRuns: 24,
      seed: 7,
    });
    for (const [at, text] of seeds.entries()) {
      const firm = ([0, 1, undefined] as const)[at % 3];
      messages.push({ id: await store(firm, { Subject: 'flowers', BodyText: text.join(' ') }), firm, text });
    }
    await index();
    const viewers = [
      { by: admin, sees: () => true },
      { by: client(on, north.caller), sees: (firm: unknown) => firm === 0 },
      { by: client(on, south.caller), sees: (firm: unknown) => firm === 1 },
    ] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        fc.constantFrom(...viewers),
        async (query, isPhrase, { by, sees }) => {
          const joined = ` ${query.join(' ')} `;
          const expected = messages
            .filter(({ firm }) => sees(firm))
            .filter(({ text }) =>
              isPhrase ? ` ${text.join(' ')} `.includes(joined) : query.every((word) => text.includes(word)),
            )
            .map(({ id }) => id);
          const found = await find(isPhrase ? `"${query.join(' ')}"` : query.join(' '), by, { DisplaySize: 100 });
          assert.deepEqual(new Set(found), new Set(expected));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('keeps what changes while words are written due', async () => {
    const id = await store(0, { Subject: 'First' });
    const rows = async (): Promise<Row[]> => [
      ...(await on.platform.store.query<Row>('select due from messagetext where messageid = $1::bigint', [id])),
    ];
    assert.deepEqual(await rows(), [{ due: 1 }]);
    await admin.save('message', { ID: id, Subject: 'Second' });
    assert.deepEqual(await rows(), [{ due: 2 }]);
    await index();
    assert.deepEqual(await rows(), [{ due: 0 }]);
  });
});
