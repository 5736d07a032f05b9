import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { invoke } from '../../../src/kernel/door/invoke.ts';
import { parseRoute } from '../../../src/kernel/door/route.ts';
import { assertMask, isMasked, maskValue } from '../../../src/modules/rules/score/lib/mask.ts';
import { testPlatform, type Caller, type TestAnswer } from '../../support/platform.ts';

const on = await testPlatform({ after });
type Body = Record<string, unknown>;

const send = (caller: Caller, path: string, body: object): Promise<TestAnswer> =>
  caller.post(`/api/${path}?Output=Json`, body);
async function post(path: string, body: object, caller: Caller = on.admin): Promise<Body> {
  const answer = await send(caller, path, body);
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  return answer.json();
}
const errorOf = (answer: TestAnswer): { Code: string; Message: string } =>
  (answer.json() as never as { Error: { Code: string; Message: string } }).Error;

const SSN = '987-65-4321';
/** Long enough not to occur by chance in a random ID of the response. */
const INCOME = '7351946208.25';
/** Values that must never be in a response, with and without punctuation. */
const secrets = [SSN, '987654321', INCOME, '7351946208'];
const assertHidden = (text: string, where: string): void => {
  for (const secret of secrets) assert.ok(!text.includes(secret), `${where} shows ${secret}: ${text.slice(0, 400)}`);
};

const template = Number(
  (
    await post('scoretemplate/save', {
      ScoreTemplate: 'Masked',
      AppliesTo: 'Loan',
      ScoreEngine: 'ExpressionEngine',
      Repeatable: 'One',
      ValueType: 'Boolean',
      EngineParameters: 'Score = Income > 70000 and length(Number) = 11',
    })
  )['ScoreTemplateID'],
);
const item = async (values: object): Promise<number> =>
  Number((await post('scoreitemtemplate/save', { ScoreTemplateID: template, ...values }))['ScoreItemTemplateID']);
const number = await item({
  ScoreItemTemplate: 'Number',
  Mask: 'XXX-XX-####',
  UnmaskPermission: 'UnmaskSSN',
  Sequence: 1,
});
const income = await item({
  ScoreItemTemplate: 'Income',
  ValueType: 'Money',
  Mask: '*##',
  UnmaskPermission: 'ScoreTemplateDelete',
  Sequence: 2,
});
await item({ ScoreItemTemplate: 'Nobody', Mask: '*', Sequence: 3 });
await item({ ScoreItemTemplate: 'Plain', ValueType: 'Int', Sequence: 4 });
const loan = Number((await post('loan/save', { Loan: '820000001' }))['LoanID']);
const score = Number(
  (
    await post('score/savecalculate', {
      Template: 'Masked',
      Object: 'Loan',
      ObjectID: loan,
      Number: SSN,
      Income: INCOME,
      Nobody: 'hush',
      Plain: 5,
    })
  )['ScoreID'],
);
const stored = await on.platform.store.query<{
  id: number;
  at: number;
  scorechar: string | null;
  scoremoney: string | null;
  sealed: string | null;
}>(
  `select scoreitemid as id, scoreitemtemplateid as at, scorechar, scoremoney, scoresealed as sealed
   from scoreitem
   where scoreid = $1::bigint
   order by 1`,
  [score],
);
const idOf = (at: number): number => stored.find((row) => row.at === at)?.id ?? 0;
const holder = await on.user('holder of one permission', 'Staff');
await post('role/save', { Role: 'Unmasker', Permissions: '* -ScoreTemplateDelete', UniversalAccess: true });
const unmasker = await on.user('unmasker', 'Unmasker');

describe('masked values', () => {
  it('SCO-03 are stored encrypted: the columns hold the masked form, while engines see the value', async () => {
    assert.deepEqual(
      stored.slice(0, 3).map((row) => [row.scorechar, row.scoremoney]),
      [
        ['XXX-XX-4321', null],
        ['***25', null],
        ['***', null],
      ],
    );
    assert.ok(stored.slice(0, 3).every((row) => row.sealed !== null));
    assertHidden(JSON.stringify(stored), 'the table');
    assert.equal((await post('score/select', { ID: score }))['ScoreBoolean'], true);
  });

  it('SCO-03 are hidden in every response: select, search, lists, summaries, pivots, analyses, history, exports and reports, in each format', async () => {
    await post('score/save', { ID: score, Number: '987-65-1111', Income: '7351946208.99' });
    await post('score/save', { ID: score, Number: SSN, Income: INCOME });
    await post('statement/save', { Statement: 'AllItems', ClassName: 'Score', Query: 'select * from ScoreItem' });
    const paths = [
      `scoreitem/select/${idOf(number)}`,
      `scoreitem/${idOf(income)}`,
      `scoreitem/search?ScoreID=${score}`,
      `score/${score}/scoreitem/search`,
      `score/summary?ID=${score}`,
      `loan/summary?ID=${loan}`,
      `scoreitem/summary?ID=${idOf(number)}`,
      `score/pivotbytemplate?Template=Masked`,
      `score/analyzebytemplate?Template=Masked`,
      'score/analyzebyobject?Object=Loan',
      `scoreitem/history?ID=${idOf(number)}`,
      `scoreitem/history?ID=${idOf(income)}`,
      `score/history?ID=${score}`,
      `scoreitem/asof?ID=${idOf(income)}&At=2100-01-01`,
      `score/listbyobject?Object=Loan&ObjectID=${loan}`,
      'score/allitems',
      `scoretemplate/export?ID=${template}`,
    ];
    for (const path of paths) {
      for (const output of ['Json', 'Xml', 'Csv', 'Html']) {
        const answer = await on.admin.get(`/api/${path}${path.includes('?') ? '&' : '?'}Output=${output}`);
        assertHidden(answer.text, `${path} as ${output}`);
        if (output === 'Json')
          assert.equal(answer.status, path.includes('asof') ? 400 : 200, `${path}: ${answer.text.slice(0, 300)}`);
      }
    }
    const history = await on.platform.store.query("select old::text from history where tablename = 'scoreitem'");
    assert.ok(history.length > 0);
    assertHidden(JSON.stringify(history), 'history');
  });

  it('SCO-03 can be searched only by their masked form', async () => {
    const found = async (filter: string): Promise<unknown> =>
      (
        (await on.admin.get(`/api/scoreitem/search?Output=Json&ScoreID=${score}&${filter}`)).json()[
          'ScoreItemCollection'
        ] as unknown as Body
      )['ScoreItemItem'];
    assert.equal(((await found('ScoreChar=XXX-XX-4321')) as Body[]).length, 1);
    assert.deepEqual(await found(`ScoreChar=${SSN}`), []);
    assert.deepEqual(await found('ScoreMoney>=1'), []);
    assert.equal((await on.admin.get(`/api/scoreitem/search?Output=Json&ScoreSealed=x`)).status, 400);
    assert.equal((await on.admin.get(`/api/scoreitem/search?Output=Json&OrderBy=ScoreSealed`)).status, 400);
  });

  it('SCO-03 are shown unmasked to a user with the permission who asks for it, which the security log records', async () => {
    const events = async (): Promise<unknown[]> =>
      on.platform.store.query(
        "select object, objectid, detail, personid from securitylog where securitylog = 'ScoresUnmasked' order by 1, 2",
      );
    const before = (await events()).length;
    const clear = await post('scoreitem/select', { ID: idOf(number), Unmask: true }, unmasker.caller);
    assert.equal(clear['Value'], SSN);
    const refused = await send(unmasker.caller, 'scoreitem/select', { ID: idOf(income), Unmask: true });
    assert.deepEqual([refused.status, errorOf(refused).Code], [403, 'NO_PERMISSION']);
    assert.match(errorOf(refused).Message, /only with the permission ScoreTemplateDelete/);
    assert.equal((await send(holder.caller, 'scoreitem/select', { ID: idOf(number), Unmask: true })).status, 403);
    assert.equal((await post('scoreitem/select', { ID: idOf(number) }, unmasker.caller))['Value'], undefined);
    const pivot = await send(unmasker.caller, 'score/pivotbytemplate', { Template: 'Masked', Unmask: true });
    const [row] = (pivot.json() as never as { ScoreCollection: { ScoreItem: Body[] } }).ScoreCollection.ScoreItem;
    assert.deepEqual([row?.['Number'], row?.['Income'], row?.['Nobody'], row?.['Plain']], [SSN, '***25', '***', 5]);
    assert.match(pivot.text, /Shown masked, because you don't have their UnmaskPermission: Income, Nobody/);
    assert.equal(
      (await send(holder.caller, 'score/pivotbytemplate', { Template: 'Masked', Unmask: true })).status,
      403,
    );
    const all = await post('score/analyzebyobject', { Object: 'Loan', Unmask: true });
    const values = (all as never as { ScoreCollection: { ScoreItem: Body[] } }).ScoreCollection.ScoreItem.map(
      (each) => each['Value'],
    );
    assert.deepEqual(values, [SSN, INCOME, '***', '5'], 'nobody sees an item without UnmaskPermission');
    const eventCount = (await events()).length - before;
    assert.equal(eventCount, 3);
  });

  it('SCO-03 are never shown to an agent, whatever its user is permitted', async () => {
    const principal = { ...(await on.platform.identity.ofPerson(unmasker.personId)), agent: true as const };
    const call = (path: string, parameters: Record<string, string | number | boolean>): Promise<unknown> =>
      invoke(on.platform, {
        route: parseRoute(on.platform.registry, path.split('/'), 'POST'),
        parameters,
        principal,
        address: '127.0.0.1',
        correlationId: 'agent',
      });
    for (const [path, parameters] of [
      ['scoreitem/select', { ID: idOf(number), Unmask: true }],
      ['score/pivotbytemplate', { Template: 'Masked', Unmask: true }],
    ] as const)
      await assert.rejects(
        call(path, parameters),
        (error) => error instanceof Error && 'code' in error && error.code === 'NO_PERMISSION',
      );
    assert.ok(await call('scoreitem/select', { ID: idOf(number) }));
  });

  it('SCO-03 submitted in their masked form stay unchanged; other values must fit the mask', async () => {
    await post('score/save', { ID: score, Number: 'XXX-XX-4321', Income: '***25', Plain: 6 });
    await post('scoreitem/save', { ID: idOf(number), ScoreChar: 'XXX-XX-4321' });
    assert.equal((await post('scoreitem/select', { ID: idOf(number), Unmask: true }))['Value'], SSN);
    const short = await send(on.admin, 'score/save', { ID: score, Number: '12345' });
    assert.match(errorOf(short).Message, /^Number: expected a value of the form XXX-XX-####, with 9 letters or digits/);
    assertHidden(short.text, 'the refusal');
    assert.match(
      errorOf(await send(on.admin, 'score/save', { ID: score, Income: 'much' })).Message,
      /^Income: expected a number/,
    );
    await post('scoreitem/save', { ID: idOf(income), ScoreMoney: '5' });
    assert.equal(
      (await post('scoreitem/select', { ID: idOf(income) }))['ScoreChar'],
      '***XX',
      'nothing of a short value is shown',
    );
    await post('scoreitem/save', { ID: idOf(income), ScoreMoney: '' });
    const empty = await post('scoreitem/select', { ID: idOf(income), Unmask: true });
    assert.deepEqual([empty['ScoreChar'], empty['Value']], [undefined, undefined]);
    await post('score/save', { ID: score, Income: INCOME });
    assert.equal((await post('scoreitem/select', { ID: idOf(income), Unmask: true }))['Value'], INCOME);
    await post('score/save', { ID: score, ScoreSealed: 'x' }).catch(() => undefined);
    await post('scoreitem/save', { ID: idOf(income), ScoreSealed: 'bm90IHNlYWxlZA==' });
    assert.equal(
      (await post('scoreitem/select', { ID: idOf(income), Unmask: true }))['Value'],
      INCOME,
      'nobody can set the encrypted value',
    );
  });

  it('SCO-03 do not come back in plain text through a rollback or an undelete', async () => {
    await post('score/save', { ID: score, Number: '111-22-3333' });
    await post('scoreitem/delete', { ID: idOf(number) });
    const back = await post('scoreitem/undelete', { ID: idOf(number) });
    assert.equal(back['ScoreChar'], 'XXX-XX-3333');
    assert.equal((await post('scoreitem/select', { ID: idOf(number), Unmask: true }))['Value'], undefined);
    await post('score/save', { ID: score, Number: SSN });
    assert.equal((await post('scoreitem/select', { ID: idOf(number), Unmask: true }))['Value'], SSN);
  });

  it('SCO-03 are enforced by the database: it refuses an unmasked value, and a changed mask while there are values', async () => {
    const run = (text: string): Promise<unknown> => on.platform.store.query(text);
    await assert.rejects(
      run(`update scoreitem set scorechar = '${SSN}' where scoreitemid = ${idOf(number)}`),
      /has a mask/,
    );
    await assert.rejects(run(`update scoreitem set scoremoney = 1 where scoreitemid = ${idOf(income)}`), /has a mask/);
    await assert.rejects(
      run(`update scoreitemtemplate set mask = null where scoreitemtemplateid = ${number}`),
      /has values/,
    );
    const refused = await send(on.admin, 'scoreitemtemplate/save', { ID: number, Mask: '' });
    assert.deepEqual([errorOf(refused).Code, refused.status], ['STATE_REFUSES', 422]);
    await post('scoreitemtemplate/save', { ID: number, Label: 'The number', Mask: 'XXX-XX-####' });
  });

  it('SCO-03 are safe from a mask set during a write: setting it waits for the write and is refused', async () => {
    const late = await item({ ScoreItemTemplate: 'Late' });
    const writing = Promise.withResolvers<undefined>();
    const written = Promise.withResolvers<undefined>();
    const actor = { personId: null, firm: null, callId: 'test' };
    const writer = on.platform.store.transaction(
      actor,
      async (db) => {
        await db.query(
          `insert into scoreitem (scoreid, scoreitemtemplateid, scorechar) values (${score}, ${late}, 'in the clear')`,
        );
        writing.resolve(undefined);
        await written.promise;
      },
      'write',
    );
    await writing.promise;
    const masking = send(on.admin, 'scoreitemtemplate/save', { ID: late, Mask: '*' });
    written.resolve(undefined);
    await writer;
    assert.notEqual((await masking).status, 200);
    const [row] = await on.platform.store.query<{ mask: string | null }>(
      'select mask from scoreitemtemplate where scoreitemtemplateid = $1::bigint',
      [late],
    );
    assert.equal(row?.mask, null);
  });

  it('SCO-03 cannot have a mask that hides nothing or looks like a value, nor a permission that nobody could hold', async () => {
    for (const mask of ['####', 'no', '#*', 'X\\#', '-'])
      assert.match(
        errorOf(
          await send(on.admin, 'scoreitemtemplate/save', {
            ScoreTemplateID: template,
            ScoreItemTemplate: 'M',
            Mask: mask,
          }),
        ).Message,
        /^Mask: /,
        mask,
      );
    assert.match(
      errorOf(
        await send(on.admin, 'scoreitemtemplate/save', {
          ScoreTemplateID: template,
          ScoreItemTemplate: 'M',
          Mask: '*',
          UnmaskPermission: 'UnmaskSNN',
        }),
      ).Message,
      /UnmaskPermission: expected the name of a permission \(did you mean UnmaskSSN/,
    );
  });

  it("SCO-03 show the characters at the mask's places, counted from the end, and never the whole value", () => {
    const masks = fc
      .array(fc.constantFrom('X', '#', '-', ' ', '%', '_', '.'), { minLength: 1, maxLength: 12 })
      .chain((signs) => fc.constantFrom(signs.join(''), `*${signs.join('')}`))
      .filter((mask) => /[X*]/.test(mask));
    fc.assert(
      fc.property(masks, fc.string({ unit: 'grapheme', maxLength: 14 }), (mask, value) => {
        assertMask(mask);
        let shown: string;
        try {
          shown = maskValue(mask, value, 'V');
        } catch {
          assert.ok(!mask.startsWith('*'));
          return;
        }
        assert.ok(isMasked(mask, shown), `${mask} ${value} ${shown}`);
        const signs = Array.from(value).filter((sign) => /[\p{L}\p{N}]/u.test(sign));
        const visible = Array.from(mask).filter((sign) => sign === '#').length;
        assert.ok(
          Array.from(shown).filter((sign) => /[\p{L}\p{N}]/u.test(sign) && sign !== 'X').length <=
            Math.min(visible, Math.max(0, signs.length - (mask.startsWith('*') ? 1 : 0))),
        );
      }),
    );
  });
});

describe('access to scores', () => {
  // size: tries every access path of two firms to the same scores, one after the other.
  it("SCO-01 a firm can access the scores of its cases as their template allows, never another firm's, and their items alike", async () => {
    const [one, other] = [await on.firm('Score Firm One'), await on.firm('Score Firm Two')];
    const kinds = { Self: 0, No: 0 };
    for (const ExtranetEnabled of ['Self', 'No'] as const) {
      kinds[ExtranetEnabled] = Number(
        (
          await post('scoretemplate/save', {
            ScoreTemplate: `Extranet ${ExtranetEnabled}`,
            AppliesTo: 'Process',
            ExtranetEnabled,
            Repeatable: 'One',
          })
        )['ScoreTemplateID'],
      );
      await post('scoreitemtemplate/save', {
        ScoreTemplateID: kinds[ExtranetEnabled],
        ScoreItemTemplate: 'V',
        ValueType: 'Int',
      });
    }
    const foreclosure = Number(
      (await post('foreclosure/save', { Foreclosure: 'scored case', OrganizationID: one.organizationId }))[
        'ForeclosureID'
      ],
    );
    const seen = Number(
      (await post('score/save', { ScoreTemplateID: kinds.Self, Object: 'Foreclosure', ObjectID: foreclosure, V: 1 }))[
        'ScoreID'
      ],
    );
    const closed = Number(
      (await post('score/save', { ScoreTemplateID: kinds.No, Object: 'Foreclosure', ObjectID: foreclosure, V: 2 }))[
        'ScoreID'
      ],
    );
    const count = async (caller: Caller, module: string): Promise<number> =>
      Object.values(
        Object.values(
          (await caller.get(`/api/${module}/search?Output=Json`)).json() as never as Record<
            string,
            Record<string, unknown[]>
          >,
        )[0] ?? {},
      )[0]?.length ?? 0;
    assert.deepEqual(
      [
        await count(one.caller, 'score'),
        await count(one.caller, 'scoreitem'),
        await count(other.caller, 'score'),
        await count(other.caller, 'scoreitem'),
      ],
      [1, 1, 0, 0],
    );
    assert.equal((await one.caller.get(`/api/score/select?ID=${closed}`)).status, 404);
    await post('scoretemplate/save', { ID: kinds.No, ExtranetEnabled: 'Self' });
    assert.equal((await one.caller.get(`/api/score/select?ID=${closed}`)).status, 200);
    await post('foreclosure/save', { ID: foreclosure, OrganizationID: other.organizationId });
    assert.deepEqual(
      [
        await count(one.caller, 'score'),
        await count(one.caller, 'scoreitem'),
        await count(other.caller, 'score'),
        await count(other.caller, 'scoreitem'),
      ],
      [0, 0, 2, 2],
    );
    await post('role/save', {
      Role: 'Scoring firm',
      Permissions:
        'ScoreSave ScoreCalculate ScoreSelect ScoreSearch ScoreItemSave ScorePivotByTemplate ' +
        'ScoreAnalyzeByObject ScoreAnalyzeByTemplate ScoreCalculateConfidence ForeclosureSearch',
      UniversalAccess: false,
    });
    await post('role/save', {
      Role: 'Scoring blind',
      Permissions: 'ScoreCalculate ScoreAnalyzeByObject',
      UniversalAccess: false,
    });
    const blind = await on.firm('Score Firm Four', 'Scoring blind');
    const user = await on.firm('Score Firm Three', 'Scoring firm');
    for (const [path, body] of [
      ['score/save', { ID: seen, V: 9 }],
      ['score/calculate', { ID: seen }],
      ['score/calculateconfidence', { ID: seen }],
      ['score/calculate', { ScoreTemplateID: kinds.Self, Object: 'Foreclosure', ObjectID: foreclosure }],
      ['score/save', { ScoreTemplateID: kinds.Self, Object: 'Foreclosure', ObjectID: foreclosure, V: 1 }],
    ] as const) {
      assert.equal((await send(user.caller, path, body)).status, 404, path);
    }
    assert.equal(
      (await send(blind.caller, 'score/analyzebyobject', { Object: 'Foreclosure' })).status,
      403,
      'joining records requires the permission to search them',
    );
    const own = Number(
      (await post('foreclosure/save', { Foreclosure: 'own case', OrganizationID: user.organizationId }))[
        'ForeclosureID'
      ],
    );
    await post('scoretemplate/save', { ID: kinds.Self, ScoreEngine: 'ExpressionEngine', EngineParameters: 'V = 7' });
    const unseen = Number(
      (await post('foreclosure/save', { Foreclosure: 'unseen case', OrganizationID: blind.organizationId }))[
        'ForeclosureID'
      ],
    );
    assert.equal(
      (
        await send(blind.caller, 'score/calculate', {
          ScoreTemplateID: kinds.Self,
          Object: 'Foreclosure',
          ObjectID: unseen,
        })
      ).status,
      403,
      "so does calculating from one: its values would come out as the score's",
    );
    const mine = await post(
      'score/calculate',
      { ScoreTemplateID: kinds.Self, Object: 'Foreclosure', ObjectID: own },
      user.caller,
    );
    const nested = await send(user.caller, 'score/save', {
      ID: mine['ScoreID'],
      Items_0_ScoreItemTemplateID: 1,
      Items_0_ChildScoreID: seen,
    });
    assert.equal(nested.status, 404, nested.text);
    const pivot = await send(user.caller, 'score/pivotbytemplate', { ScoreTemplateID: kinds.Self });
    assert.equal(
      (pivot.json() as never as { ScoreCollection: { ScoreItem: unknown[] } }).ScoreCollection.ScoreItem.length,
      1,
    );
  });
});
