import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { expectOk, expectRefused, rowsOf, type Row } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlatform, type Caller } from '../../support/platform.ts';
import { refusing } from '../../support/rules/rules.ts';

const p = await testPlatform({ after }, { worker: true });
const save = (module: string, body: object, caller: Caller = p.admin): Promise<Row> =>
  expectOk(caller.post(`/api/${module}/save?Output=Json`, body));
const search = async (path: string, caller: Caller = p.admin): Promise<Row[]> =>
  rowsOf(await expectOk(caller.get(`/api/${path}&Output=Json`)));
const link = (fields: object, caller: Caller = p.admin): Promise<Row> => save('objectlink', fields, caller);

await save('role', {
  Role: 'Linker',
  Permissions: 'ObjectLink* LoanSave ForeclosureSave ForeclosureDelete',
  UniversalAccess: false,
});
const north = await p.firm('Northern links', 'Partner, Linker');
const south = await p.firm('Southern links', 'Partner, Linker');

let number = 100_000;
const loan = async (firm?: { organizationId: number }): Promise<number> => {
  const id = Number((await save('loan', { Loan: String(++number) }))['LoanID']);
  if (firm) await save('foreclosure', { Foreclosure: `F${number}`, LoanID: id, OrganizationID: firm.organizationId });
  return id;
};
const caseOf = async (firm: { organizationId: number }): Promise<number> =>
  Number(
    (await save('foreclosure', { Foreclosure: `F${++number}`, OrganizationID: firm.organizationId }))['ForeclosureID'],
  );
const loans = (a: number, b: number): object => ({
  PrimaryObject: 'Loan',
  PrimaryObjectID: a,
  LinkedObject: 'Loan',
  LinkedObjectID: b,
});

describe('links between records', () => {
  it('RUL-10 a link joins two records by ID or external ID, each stored as its concrete type', async () => {
    const [a, b] = [await loan(), await caseOf(north)];
    await save('loan', { ID: a, SubscriberID: 'the loan' });
    await save('foreclosure', { ID: b, SubscriberID: 'the case' });
    const made = await link({
      PrimaryObject: 'loan',
      PrimaryObjectSubscriberID: 'the loan',
      LinkedObject: 'Process',
      LinkedObjectSubscriberID: 'the case',
      ObjectLinkType: 'Package',
    });
    assert.deepEqual(
      ['PrimaryObject', 'PrimaryObjectID', 'LinkedObject', 'LinkedObjectID', 'ObjectLinkType'].map(
        (name) => made[name],
      ),
      ['Loan', a, 'Foreclosure', b, 'Package'],
    );
    const byId = await link({
      PrimaryObject: 'Loan',
      PrimaryObjectID: a,
      LinkedObject: 'Foreclosure',
      LinkedObjectID: b,
      ObjectLinkType: 'package',
    });
    assert.equal(
      byId['ObjectLinkID'],
      made['ObjectLinkID'],
      'the same link, although its set is written in another case',
    );
    assert.equal(byId['Version'], 1, 'and nothing was changed');
    assert.notEqual(
      (await link({ PrimaryObject: 'Loan', PrimaryObjectID: a, LinkedObject: 'Foreclosure', LinkedObjectID: b }))[
        'ObjectLinkID'
      ],
      made['ObjectLinkID'],
      'a missing set is distinct from a named one',
    );
    assert.notEqual(
      (
        await link({
          PrimaryObject: 'Foreclosure',
          PrimaryObjectID: b,
          LinkedObject: 'Loan',
          LinkedObjectID: a,
          ObjectLinkType: 'Package',
        })
      )['ObjectLinkID'],
      made['ObjectLinkID'],
      'the reverse direction is another link',
    );
    assert.equal(
      (await link({ ...loans(a, await loan()), SubscriberID: 'known' }))['ObjectLinkID'],
      (await link({ SubscriberID: 'known', Status: 'Checked' }))['ObjectLinkID'],
    );
  });

  it('RUL-10 concurrent callers that create the same link create it once', async () => {
    const sides = loans(await loan(), await loan());
    const made = await Promise.all(Array.from({ length: 8 }, () => link({ ...sides, ObjectLinkType: 'Race' })));
    assert.equal(new Set(made.map((row) => row['ObjectLinkID'])).size, 1);
    await expectRefused(
      p.admin.post('/api/objectlink/insert?Output=Json', { ...sides, ObjectLinkType: 'RACE' }),
      'DUPLICATE_KEY',
      'ObjectLinkType',
    );
  });

  it('RUL-10 a missing, unknown or deleted record, and a link of a record to itself, is refused by parameter name', async () => {
    const [a, b] = [await loan(), await loan()];
    const at = '/api/objectlink/save?Output=Json';
    await expectRefused(
      p.admin.post(at, { PrimaryObject: 'Loan', PrimaryObjectID: a, LinkedObject: 'Loan' }),
      'MISSING_PARAMETER',
      'LinkedObjectID',
    );
    await expectRefused(
      p.admin.post(at, { PrimaryObjectID: a, LinkedObject: 'Loan', LinkedObjectID: b }),
      'MISSING_PARAMETER',
      'PrimaryObject',
    );
    await expectRefused(
      p.admin.post(at, { ...loans(a, b), LinkedObject: 'Lone' }),
      'BAD_PARAMETER',
      'LinkedObject',
      /Loan/,
    );
    await expectRefused(p.admin.post(at, loans(a, 99_999_999)), 'NOT_FOUND', 'LinkedObjectID');
    await expectRefused(
      p.admin.post(at, {
        PrimaryObject: 'Loan',
        PrimaryObjectSubscriberID: "nobody's",
        LinkedObject: 'Loan',
        LinkedObjectID: b,
      }),
      'NOT_FOUND',
      'PrimaryObjectSubscriberID',
    );
    await expectRefused(
      p.admin.post(at, { PrimaryObject: 'Organization', PrimaryObjectID: a, LinkedObject: 'Loan', LinkedObjectID: b }),
      'NOT_FOUND',
      'PrimaryObjectID',
    );
    await expectRefused(p.admin.post(at, loans(a, a)), 'BAD_PARAMETER', 'LinkedObjectID', /itself/);
    const made = await link(loans(a, b));
    await expectRefused(
      p.admin.post('/api/objectlink/update?Output=Json', { ID: made['ObjectLinkID'], LinkedObjectID: a }),
      'BAD_PARAMETER',
      'LinkedObjectID',
      /itself/,
    );
    await expectRefused(
      p.admin.post('/api/objectlink/update?Output=Json', { ID: made['ObjectLinkID'], PrimaryObjectID: 99_999_999 }),
      'NOT_FOUND',
      'PrimaryObjectID',
    );
  });

  it('RUL-10 deleting a record deletes its links, and undeleting it restores them', async () => {
    const [a, b, c] = [await loan(), await loan(), await loan()];
    await link({ ...loans(a, b), ObjectLinkType: 'Kept' });
    await link({ ...loans(c, a), ObjectLinkType: 'Kept' });
    await link({ ...loans(b, c), ObjectLinkType: 'Kept' });
    const find = async (): Promise<string[]> =>
      (await search('objectlink/search?ObjectLinkType=Kept'))
        .map((row) => `${String(row['PrimaryObjectID'])}>${String(row['LinkedObjectID'])}`)
        .sort();
    await expectOk(p.admin.post('/api/loan/delete?Output=Json', { ID: a }));
    assert.deepEqual(await find(), [`${b}>${c}`]);
    assert.deepEqual(
      (await search(`loan/search?LinkedTo=Loan:${a}`)).map((row) => row['LoanID']),
      [],
    );
    await expectOk(p.admin.post('/api/loan/delete?Output=Json', { ID: b }));
    await expectOk(p.admin.post('/api/loan/undelete?Output=Json', { ID: a }));
    assert.deepEqual(await find(), [`${c}>${a}`], 'not the link to the deleted record');
    const between = await link({ ...loans(a, c), ObjectLinkType: 'Between' });
    await expectOk(p.admin.post('/api/objectlink/delete?Output=Json', { ID: between['ObjectLinkID'] }));
    await expectOk(p.admin.post('/api/loan/delete?Output=Json', { ID: c }));
    await expectRefused(
      p.admin.post('/api/objectlink/undelete?Output=Json', { ID: between['ObjectLinkID'] }),
      'STATE_REFUSES',
      '',
      /no longer exists/,
    );
  });

  it('RUL-10 linking a record while it is being deleted is refused, or the link is deleted too', async () => {
    const [a, b] = [await loan(), await loan()];
    const set = 'Deleted meanwhile';
    const answers = await Promise.all([
      p.admin.post('/api/loan/delete?Output=Json', { ID: a }),
      ...Array.from({ length: 6 }, () =>
        p.admin.post('/api/objectlink/save?Output=Json', { ...loans(a, b), ObjectLinkType: set }),
      ),
    ]);
    assert.equal(answers[0]?.status, 200, answers[0]?.text);
    assert.ok(
      answers.slice(1).every(({ status }) => status === 200 || status === 404),
      answers.map((each) => each.text).join('\n'),
    );
    assert.deepEqual(await search(`objectlink/search?ObjectLinkType=${encodeURIComponent(set)}`), []);
  });
});

describe('sets of links', () => {
  const sets = async (name: string): Promise<string[]> =>
    (await search(`objectlink/search?ObjectLinkType=${name}`))
      .map((row) => `${String(row['PrimaryObjectID'])}>${String(row['LinkedObjectID'])}`)
      .sort();

  it('RUL-10 RUL-16 copyset copies a set and skips links that the new set already has, however often and by however many callers it is called', async () => {
    const [a, b, c] = [await loan(), await loan(), await loan()];
    for (const [x, y] of [
      [a, b],
      [b, c],
      [c, a],
    ] as const)
      await link({ ...loans(x, y), ObjectLinkType: 'Old', Status: 'Open' });
    await link({ ...loans(b, c), ObjectLinkType: 'new' });
    const copy = (body: object): Promise<Row> => expectOk(p.admin.post('/api/objectlink/copyset?Output=Json', body));
    assert.deepEqual(await copy({ OldSet: 'OLD', NewSet: 'New' }), { Copied: 2, Skipped: 1 });
    assert.deepEqual(await sets('New'), await sets('Old'));
    assert.equal((await search('objectlink/search?ObjectLinkType=New&Status=Open')).length, 2);
    assert.deepEqual(await copy({ OldSet: 'Old', NewSet: 'New' }), { Copied: 0, Skipped: 3 });
    const both = await Promise.all([copy({ OldSet: 'Old', NewSet: 'Both' }), copy({ OldSet: 'Old', NewSet: 'Both' })]);
    assert.equal(Number(both[0]?.['Copied']) + Number(both[1]?.['Copied']), 3);
    assert.deepEqual(await copy({ OldSet: 'Nothing', NewSet: 'New' }), { Copied: 0, Skipped: 0 });
    await expectRefused(
      p.admin.post('/api/objectlink/copyset?Output=Json', { OldSet: 'Old', NewSet: 'old' }),
      'BAD_PARAMETER',
      'NewSet',
    );
    await expectRefused(
      p.admin.post('/api/objectlink/copyset?Output=Json', { OldSet: 'Old' }),
      'MISSING_PARAMETER',
      'NewSet',
    );
  });

  it('RUL-10 a record is deleted with its links and the external IDs of both', async () => {
    const [a, b] = [await loan(), await loan()];
    await save('loan', { ID: a, SubscriberID: 'a loan that goes' });
    const { ObjectLinkID } = await link({ ...loans(a, b), SubscriberID: 'goes with its loan' });
    const others = await link({ ...loans(b, await loan()), SubscriberID: 'a link that stays' });
    await expectOk(p.admin.post(`/api/loan/delete?Output=Json&ID=${a}`));
    const left = await p.platform.store.query<{ subscriberid: string }>(
      `select subscriberid from objectsubscription
       where (object = 'Loan' and objectid = $1::bigint) or (object = 'ObjectLink' and objectid = any($2::bigint[]))`,
      [a, `{${String(ObjectLinkID)},${String(others['ObjectLinkID'])}}`],
    );
    assert.deepEqual(
      left.map((row) => row.subscriberid),
      ['a link that stays'],
    );
  });

  it('RUL-10 RUL-16 deleteset deletes only that set, and undelete restores a link', async () => {
    const [a, b] = [await loan(), await loan()];
    const made = await link({ ...loans(a, b), ObjectLinkType: 'Going', SubscriberID: 'a link that goes' });
    await link({ ...loans(a, b), ObjectLinkType: 'Staying' });
    // A link can itself be linked.
    await link({
      PrimaryObject: 'ObjectLink',
      PrimaryObjectID: made['ObjectLinkID'],
      LinkedObject: 'Loan',
      LinkedObjectID: b,
      ObjectLinkType: 'Of the link',
    });
    assert.deepEqual(await expectOk(p.admin.post('/api/objectlink/deleteset?Output=Json', { Set: 'going' })), {
      Deleted: 1,
    });
    assert.deepEqual(
      [await sets('Going'), await sets('Staying'), await sets('Of%20the%20link')],
      [[], [`${a}>${b}`], []],
    );
    assert.equal(
      (
        await p.platform.store.query(
          "select 1 from objectsubscription where object = 'ObjectLink' and objectid = $1::bigint",
          [made['ObjectLinkID']],
        )
      ).length,
      0,
    );
    assert.deepEqual(await expectOk(p.admin.post('/api/objectlink/deleteset?Output=Json', { Set: 'Going' })), {
      Deleted: 0,
    });
    await expectOk(p.admin.post('/api/objectlink/undelete?Output=Json', { ID: made['ObjectLinkID'] }));
    assert.deepEqual(await sets('Going'), [`${a}>${b}`]);
  });

  it('RUL-10 RUL-09 business rules are checked for each link of a set, and a single refusal copies or deletes nothing', async () => {
    const [a, b, c] = [await loan(), await loan(), await loan()];
    for (const [x, y] of [
      [a, b],
      [b, c],
    ] as const)
      await link({ ...loans(x, y), ObjectLinkType: 'Guarded' });
    const rule = await save('businessrule', {
      BusinessRule: 'guard',
      AppliesTo: 'ObjectLink',
      Operation: 'Insert, Delete',
      Stylesheet: refusing(`ObjectLinkItem/PrimaryObjectID = ${b}`, 'Not this one.'),
    });
    await expectRefused(
      p.admin.post('/api/objectlink/copyset?Output=Json', { OldSet: 'Guarded', NewSet: 'Unguarded' }),
      'RULE_EXCEPTION',
      '',
      /Not this one/,
    );
    await expectRefused(
      p.admin.post('/api/objectlink/deleteset?Output=Json', { Set: 'Guarded' }),
      'RULE_EXCEPTION',
      '',
      /Not this one/,
    );
    assert.deepEqual([(await sets('Guarded')).length, await sets('Unguarded')], [2, []]);
    await save('businessrule', { ID: rule['BusinessRuleID'], Status: 'Inactive' });
  });

  it('RUL-10 sets can be copied and deleted from the queue too', async () => {
    await link({ ...loans(await loan(), await loan()), ObjectLinkType: 'Queued' });
    assert.equal(
      (await p.admin.post('/api/objectlink/queue/copyset?Output=Json', { OldSet: 'Queued', NewSet: 'FromQueue' }))
        .status,
      202,
    );
    await eventually('the copy is done', async () => (await sets('FromQueue')).length === 1);
  });
});

describe('access to links', () => {
  it('RUL-10 KRN-18 a firm can link only records that it can see on both sides, and the error does not reveal what exists', async () => {
    const [own, shared, foreign] = [await loan(north), await loan(north), await loan(south)];
    await save('foreclosure', { Foreclosure: 'shared', LoanID: shared, OrganizationID: south.organizationId });
    const made = await link({ ...loans(own, shared), ObjectLinkType: 'Firms' }, north.caller);
    const at = '/api/objectlink/save?Output=Json';
    for (const id of [foreign, 99_999_999]) {
      await expectRefused(
        north.caller.post(at, { ...loans(own, id) }),
        'NOT_FOUND',
        'LinkedObjectID',
        new RegExp(`^LinkedObjectID: Loan ${id} not found, or you don't have access to it\\.$`),
      );
      await expectRefused(north.caller.post(at, { ...loans(id, own) }), 'NOT_FOUND', 'PrimaryObjectID');
      await expectRefused(
        north.caller.post('/api/objectlink/update?Output=Json', { ID: made['ObjectLinkID'], LinkedObjectID: id }),
        'NOT_FOUND',
        'LinkedObjectID',
      );
    }
    assert.deepEqual(
      await search('objectlink/search?ObjectLinkType=Firms', south.caller),
      [],
      'it can access only one side',
    );
    await expectRefused(
      south.caller.get(`/api/objectlink/select?Output=Json&ID=${String(made['ObjectLinkID'])}`),
      'NOT_FOUND',
      'ID',
    );
    await expectRefused(
      north.caller.post(at, { PrimaryObject: 'ApiKey', PrimaryObjectID: 1, LinkedObject: 'Loan', LinkedObjectID: own }),
      'NOT_FOUND',
      'PrimaryObjectID',
    );
  });

  it('RUL-10 KRN-18 links move with their records to another firm, whichever side moves', async () => {
    const [one, other] = [await caseOf(north), await caseOf(north)];
    await link({
      PrimaryObject: 'Process',
      PrimaryObjectID: one,
      LinkedObject: 'Process',
      LinkedObjectID: other,
      ObjectLinkType: 'Moved',
    });
    const seen = async (): Promise<number[]> => [
      (await search('objectlink/search?ObjectLinkType=Moved', north.caller)).length,
      (await search('objectlink/search?ObjectLinkType=Moved', south.caller)).length,
    ];
    assert.deepEqual(await seen(), [1, 0]);
    await save('foreclosure', { ID: other, OrganizationID: south.organizationId });
    assert.deepEqual(await seen(), [0, 0]);
    await save('foreclosure', { ID: one, OrganizationID: south.organizationId });
    assert.deepEqual(await seen(), [0, 1]);
  });

  it('RUL-10 KRN-18 a link to configuration is accessible with its other side, and one between configuration records only to staff', async () => {
    const template = Number(
      (await save('importformtemplate', { ImportFormTemplate: 'Linked kind' }))['ImportFormTemplateID'],
    );
    const own = await loan(north);
    await link(
      {
        PrimaryObject: 'Loan',
        PrimaryObjectID: own,
        LinkedObject: 'ImportFormTemplate',
        LinkedObjectID: template,
        ObjectLinkType: 'Kinds',
      },
      north.caller,
    );
    await link({
      PrimaryObject: 'EventCode',
      PrimaryObjectID: (await save('eventcode', { EventCode: 'L1' }))['EventCodeID'],
      LinkedObject: 'ImportFormTemplate',
      LinkedObjectID: template,
      ObjectLinkType: 'Kinds',
    });
    const seen = async (caller?: Caller): Promise<number> =>
      (await search('objectlink/search?ObjectLinkType=Kinds', caller)).length;
    assert.deepEqual([await seen(north.caller), await seen(south.caller), await seen()], [1, 0, 2]);
  });

  it('RUL-10 a firm copies and deletes the part of a set that it can access, and leaves the rest unchanged', async () => {
    const mine = [await loan(north), await loan(north)] as const;
    const theirs = [await loan(south), await loan(south)] as const;
    for (const [a, b] of [mine, theirs]) await link({ ...loans(a, b), ObjectLinkType: 'Common' });
    assert.deepEqual(
      await expectOk(north.caller.post('/api/objectlink/copyset?Output=Json', { OldSet: 'Common', NewSet: 'Copied' })),
      { Copied: 1, Skipped: 0 },
    );
    assert.deepEqual(await expectOk(north.caller.post('/api/objectlink/deleteset?Output=Json', { Set: 'Common' })), {
      Deleted: 1,
    });
    assert.deepEqual(
      (await search('objectlink/search?ObjectLinkType=Common')).map((row) => row['PrimaryObjectID']),
      [theirs[0]],
    );
    const plain = await p.firm('Plain links');
    for (const [operation, body] of [
      ['save', loans(...mine)],
      ['copyset', { OldSet: 'a', NewSet: 'b' }],
      ['deleteset', { Set: 'Copied' }],
    ] as const)
      await expectRefused(plain.caller.post(`/api/objectlink/${operation}?Output=Json`, body), 'NO_PERMISSION', '');
  });

  it('RUL-10 a firm that deletes its record also deletes the links to it that it cannot see', async () => {
    const [gone, foreign] = [await caseOf(north), await loan(south)];
    await link({
      PrimaryObject: 'Loan',
      PrimaryObjectID: foreign,
      LinkedObject: 'Foreclosure',
      LinkedObjectID: gone,
      ObjectLinkType: 'Dangling',
    });
    await expectOk(north.caller.post('/api/foreclosure/delete?Output=Json', { ID: gone }));
    assert.deepEqual(await search('objectlink/search?ObjectLinkType=Dangling'), []);
  });
});

describe('searches by links', () => {
  it('RUL-10 RUL-16 LinkedTo, LinkedFrom and their negations find the same records as going through all links', async () => {
    const all: number[] = [];
    for (let n = 0; n < 6; n++) all.push(await loan());
    const pairs: [number, number, string | null][] = [
      [0, 1, 'A'],
      [0, 2, 'B'],
      [1, 2, 'A'],
      [3, 1, null],
      [4, 1, 'B'],
      [2, 0, 'A'],
      [4, 0, null],
    ];
    for (const [x, y, set] of pairs)
      await link({ ...loans(all[x] ?? 0, all[y] ?? 0), ...(set === null ? {} : { ObjectLinkType: set }) });
    const ids = all.join(',');
    for (const [name, own, other] of [
      ['LinkedTo', 0, 1],
      ['LinkedFrom', 1, 0],
    ] as const) {
      for (const not of [false, true]) {
        for (const targets of [[0], [1], [1, 2], [5]]) {
          for (const set of [undefined, 'A', 'b', 'null']) {
            const expected = all.filter(
              (_, n) =>
                pairs.some(
                  (pair) =>
                    pair[own] === n &&
                    targets.includes(pair[other]) &&
                    (set === undefined || (pair[2] ?? 'null').toLowerCase() === set.toLowerCase()),
                ) !== not,
            );
            const text = targets.map((n) => `Loan:${all[n]}`).join(',');
            const query =
              `loan/search?ID=${ids}&${not ? `Not${name}` : name}=${text}` +
              (set === undefined ? '' : `&ObjectLinkType=${set}`);
            assert.deepEqual(
              (await search(query)).map((row) => row['LoanID']),
              expected,
              query,
            );
          }
        }
      }
    }
  });

  it('RUL-10 a type given in a filter includes its derived types; records of a derived type are found through each base type', async () => {
    const [one, other, plain] = [await caseOf(north), await caseOf(north), await loan()];
    await link({ PrimaryObject: 'Foreclosure', PrimaryObjectID: one, LinkedObject: 'Loan', LinkedObjectID: plain });
    await link({ PrimaryObject: 'Loan', PrimaryObjectID: plain, LinkedObject: 'Foreclosure', LinkedObjectID: other });
    for (const module of ['process', 'foreclosure'])
      assert.deepEqual(
        (await search(`${module}/search?LinkedTo=loan:${plain}`)).map(
          (row) => row['ProcessID'] ?? row['ForeclosureID'],
        ),
        [one],
      );
    for (const named of ['Process', 'Foreclosure'])
      assert.deepEqual(await search(`loan/search?LinkedFrom=Loan:${plain}&LinkedTo=${named}:${other}`), []);
    for (const named of ['Process', 'Foreclosure'])
      assert.deepEqual(
        (await search(`loan/search?LinkedTo=${named}:${other}`)).map((row) => row['LoanID']),
        [plain],
      );
    assert.deepEqual(await search(`loan/search?LinkedTo=Bankruptcy:${other}`), []);
    assert.deepEqual(
      (await search(`objectlink/search?PrimaryObject=Process&PrimaryObjectID=${one}&ObjectLinkType=null`)).length,
      0,
      'a filter on a column of the link matches the stored type exactly',
    );
  });

  it('RUL-10 malformed filters are refused by name', async () => {
    for (const wrong of [
      'LinkedTo=5',
      'LinkedTo=Loan',
      'LinkedTo=Loan:x',
      'LinkedTo=Loan:0',
      'LinkedTo=',
      'LinkedTo=Loan:1,',
      `LinkedTo=Loan:${'9'.repeat(17)}`,
    ])
      await expectRefused(p.admin.get(`/api/loan/search?Output=Json&${wrong}`), 'BAD_PARAMETER', 'LinkedTo');
    await expectRefused(
      p.admin.get('/api/loan/search?Output=Json&NotLinkedTo=Lone:1'),
      'BAD_PARAMETER',
      'NotLinkedTo',
      /Loan/,
    );
    await expectRefused(
      p.admin.get('/api/loan/search?Output=Json&ObjectLinkType=A'),
      'BAD_PARAMETER',
      'ObjectLinkType',
      /LinkedTo/,
    );
    await expectRefused(
      p.admin.get(
        `/api/loan/search?Output=Json&LinkedTo=${Array.from({ length: 101 }, (_, n) => `Loan:${n + 1}`).join(',')}`,
      ),
      'BAD_PARAMETER',
      'LinkedTo',
      /100/,
    );
  });

  it('RUL-10 KRN-18 a search by links shows a firm neither records nor links that it cannot access', async () => {
    const [own, foreign] = [await loan(north), await loan(south)];
    await link({ ...loans(own, foreign), ObjectLinkType: 'Across' });
    assert.deepEqual(
      (await search(`loan/search?LinkedTo=Loan:${foreign}`)).map((row) => row['LoanID']),
      [own],
    );
    for (const filter of [`LinkedTo=Loan:${foreign}`, 'LinkedTo=Loan:99999999'])
      assert.deepEqual(await search(`loan/search?ID=${own}&${filter}`, north.caller), [], filter);
    for (const filter of [`NotLinkedTo=Loan:${foreign}`, 'NotLinkedTo=Loan:99999999'])
      assert.equal((await search(`loan/search?ID=${own}&${filter}`, north.caller)).length, 1, filter);
    assert.deepEqual(await search(`loan/search?LinkedFrom=Loan:${own}`, south.caller), []);
  });

  it('RUL-10 saved signatures can use the filters', async () => {
    const body = { ImportFileTemplate: 'by links', AppliesTo: 'Loan', ImportEngine: 'DelimitedEngine' };
    await save('importfiletemplate', { ...body, ResultMethod: 'Loan/Search?LinkedTo=Loan:{LoanID}&ObjectLinkType=A' });
    await expectRefused(
      p.admin.post('/api/importfiletemplate/save?Output=Json', {
        ...body,
        ImportFileTemplate: 'wrong',
        ResultMethod: 'Loan/Search?LinkedTwo=Loan:1',
      }),
      'BAD_SIGNATURE',
      'ResultMethod',
    );
  });

  it('RUL-10 an index serves the filters with a hundred thousand other links', async () => {
    const target = await loan();
    const found = await loan();
    await link(loans(found, target));
    await p.platform.store.query(`alter table objectlink disable trigger user`);
    await p.platform.store.query(
      `insert into objectlink (primaryobject, primaryobjectid, linkedobject, linkedobjectid, objectlinktype)
       select 'Loan', 1000000 + n, 'Attachment', 1000000 + n % 1000,
         case when n <= 2500 then 'Pieces' else 'Bulk' end
       from generate_series(1, 100000) n`,
    );
    await p.platform.store.query(`alter table objectlink enable trigger user`);
    await p.platform.store.query('analyze objectlink, loan');
    assert.deepEqual(
      (await search(`loan/search?LinkedTo=Loan:${target}`)).map((row) => row['LoanID']),
      [found],
    );
    for (const [own, other] of [
      ['primary', 'linked'],
      ['linked', 'primary'],
    ]) {
      const rows = await p.platform.store.query<Record<string, string>>(
        `explain select 1 from loan where exists (
           select 1 from objectlink link
           where link.${own}objectid = loan.loanid and link.${own}object = any('{Loan}'::text[])
             and (link.${other}objectid = ${target} and link.${other}object = any('{Loan}'::text[])))`,
      );
      const plan = rows.map((row) => Object.values(row)[0]).join('\n');
      assert.doesNotMatch(plan, /Seq Scan on objectlink/, plan);
    }
    assert.deepEqual(
      await expectOk(
        p.admin.post('/api/objectlink/copyset?Output=Json', { OldSet: 'Pieces', NewSet: 'Copied pieces' }),
      ),
      { Copied: 2_500, Skipped: 0 },
    );
    assert.deepEqual(await expectOk(p.admin.post('/api/objectlink/deleteset?Output=Json', { Set: 'Pieces' })), {
      Deleted: 2_500,
    });
  });
});
