import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { parametersFromQuery } from '../../../src/kernel/parameters/parameters.ts';
import { fillSignature, parseSignature } from '../../../src/kernel/door/signature.ts';
import { testPlatform, type TestAnswer } from '../../support/platform.ts';
import { echoOf, fixture } from '../../support/kernel/fixture.ts';
import { anyCharacter } from '../../support/characters.ts';

const use = { field: 'Method' };

function errorOf(answer: TestAnswer): { Code: string; Message: string; Field?: string } {
  return (answer.json() as never as { Error: { Code: string; Message: string; Field?: string } }).Error;
}

describe('parsing and filling', () => {
  it('KRN-08 a signature without expressions gives the same parameters as its query string', async () => {
    const name = fc
      .stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/)
      .filter((n) => !['output', 'callback'].includes(n.toLowerCase()));
    const pair = fc
      .tuple(
        name,
        fc.constantFrom('=', '>=', '<=', '>', '<', '!=', '<>'),
        fc.string({ unit: 'grapheme', maxLength: 8 }),
      )
      .map(([n, sign, value]) => `${n}${sign}${encodeURIComponent(value)}`);
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { maxLength: 6 }), async (pairs) => {
        const query = pairs.join('&');
        // `A>` and `A>==1` are not meaningful comparisons; the two readings may differ there.
        fc.pre(pairs.every((p) => !/[<>]$/.test(p) && !/(?:<>|[<>])=/.test(p.replace(/^(\w+)(>=|<=)/, '$1'))));
        const filled = await fillSignature(parseSignature(`Contact/Search?${query}`, use), () => undefined);
        assert.deepEqual({ ...filled }, { ...parametersFromQuery(query) });
      }),
    );
  });

  it('KRN-08 whatever a value contains, it stays the single value of its parameter', async () => {
    const signature = parseSignature('Contact/Search?A={X}&B=before%26{X}after&C={ Whole }', use);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.constantFrom('a&B=2', '%26', 'x=y', '{X}', '}{', '?q=1', 'A=1&A=2'),
        ),
        async (value) => {
          const filled = await fillSignature(signature, (expression) =>
            expression === 'X' ? value : `whole ${value}`,
          );
          assert.deepEqual({ ...filled }, { A: value, B: `before&${value}after`, C: `whole ${value}` });
        },
      ),
    );
  });

  it('an expression alone keeps a list or number as it is, and nothing becomes empty; next to text it becomes text', async () => {
    const values: Record<string, never> = { List: [3, 4], Number: 5, Text: 'x' } as never;
    const filled = await fillSignature(
      parseSignature('A/B?L={List}&N={Number}&None={Missing}&T={Text}-{Missing}-{Number}-{List}', use),
      (e) => values[e],
    );
    assert.deepEqual({ ...filled }, { L: [3, 4], N: 5, None: '', T: 'x--5-3,4' });
  });

  it('an expression may contain any character of an XPath, quoted braces included', () => {
    const parsed = parseSignature("Message/Search?Subject={//Loan[@a='x&y=}{?']/Label}&Z=1", use);
    assert.deepEqual(parsed, {
      route: 'Message/Search',
      parameters: [
        { name: 'Subject', parts: [{ expression: "//Loan[@a='x&y=}{?']/Label" }] },
        { name: 'Z', parts: [{ text: '1' }] },
      ],
    });
  });

  it('names are never filled in, and malformed signatures are refused naming the field', () => {
    const wrong = [
      '',
      'Contact',
      'Contact/',
      '/Search',
      '{Class}/Search',
      'Contact/{Operation}',
      'Contact/Search?{Name}=1',
      'Contact/Search?A{X}=1',
      'Contact/Search?A={X',
      'Contact/Search?A=X}',
      'Contact/Search?A={{X}}',
      'Contact/Search?A={}',
      'Contact/Search?A=%zz',
      'Contact/%ff',
      'Contact/Search?=1',
      `Contact/Search?A=${'x'.repeat(20_000)}`,
    ];
    for (const text of wrong)
      assert.throws(
        () => parseSignature(text, use),
        (e) =>
          e instanceof PlatformError &&
          e.code === 'BAD_SIGNATURE' &&
          e.field === 'Method' &&
          e.message.startsWith('Method: '),
        text,
      );
  });

  it('a bare name is an operation of the module where it is used', () => {
    assert.equal(
      parseSignature('BindByParent?ID={ID}', { field: 'Method', module: 'Message' }).route,
      'Message/BindByParent',
    );
    assert.equal(parseSignature('/api/contact/search', use).route, 'contact/search');
  });
});

const p = await testPlatform({ after }, { fixture });
const quote = encodeURIComponent;

describe('checking and calling', () => {
  const check = (text: string) => p.admin.get(`/api/probe/checksignature?Output=Json&Signature=${quote(text)}`);

  it('KRN-08 a signature is checked against what exists when it is saved, with the nearest names', async () => {
    await p.admin.post('/api/statement/save', {
      ClassName: 'Contact',
      Statement: 'ByTown',
      Query: 'select ContactID, City from Contact where City = {Town}',
    });
    for (const good of [
      'Contact/Search?LastName={LastName}&OrderBy=-ContactID&ParentContactSubscriberID={X}',
      'contact/SELECT?ID={ID}',
      'Contact/Select/5',
      'Contact/Save?Methods_0_ContactValue={E}&ParentContact_FirstName=x&ParentContactSubscriberID={S}',
      'Contact/ByTown?Town={City}&DisplaySize=5',
      'ByTown?Town=x',
      'Probe/Schedule/Listen?Count=5',
      'Probe/EchoAny?Whatever={X}',
      'Contact/queue/Save?FirstName={F}&QueueName=Batch&ScheduleName=Daily+@+3am',
      'Contact/Search?Output=Xml&City={C}',
    ]) {
      const answer = await check(good);
      assert.equal(answer.status, 200, `${good}: ${answer.text}`);
    }
    const bad: readonly (readonly [string, RegExp])[] = [
      ['Contcat/Search?LastName=x', /no module contcat\. Did you mean Contact/],
      ['Contact/Serach', /no operation serach on contact\. Did you mean Search/],
      ['Contact/Search?LastNam={X}', /takes no parameter LastNam\. Did you mean LastName/],
      ['Contact/Select?IDD=1', /takes no parameter IDD\. Did you mean ID/],
      ['Contact/Save?FristName={X}', /takes no parameter FristName\. Did you mean FirstName/],
      ['Contact/Save?Methods_0_ContactVal=1', /takes no parameter Methods_0_ContactVal/],
      ['Contact/ByTown?Twon=1', /takes no parameter Twon\. Did you mean Town/],
      ['Probe/Schedule/Lisen', /no operation schedule\/lisen on probe/],
    ];
    for (const [text, message] of bad) {
      const answer = await check(text);
      assert.equal(answer.status, 400, text);
      assert.equal(errorOf(answer).Code, 'BAD_SIGNATURE', answer.text);
      assert.equal(errorOf(answer).Field, 'Signature');
      assert.match(errorOf(answer).Message, message);
    }
    // A value without an expression is checked against the parameter's type.
    assert.equal(errorOf(await check('Probe/Echo?Count=many')).Code, 'BAD_PARAMETER');
  });

  const call = (caller: typeof p.admin, text: string, values: Record<string, string> = {}) =>
    caller.get(`/api/probe/signature?Output=Json&Signature=${quote(text)}&${new URLSearchParams(values).toString()}`);

  it('KRN-08 a call by signature equals the call by route', async () => {
    const route = await p.admin.get('/api/probe/echo?Output=Json&Text=a%26b&Count=5&IDs=1,2');
    const signature = await call(p.admin, 'Probe/Echo?Text={T}&Count={N}&IDs=1,2', { T: 'a&b', N: '5' });
    assert.deepEqual(echoOf(signature), echoOf(route));
    const pattern = await call(p.admin, 'Probe/Lists/My%20List/Items/7?Flag={F}', { F: 'true' });
    assert.deepEqual(echoOf(pattern), { Text: 'My List', Count: 7, Flag: true });
  });

  it('KRN-08 the permission is checked again as the calling user, and a refusal changes nothing', async () => {
    await p.admin.post('/api/role/save', {
      Role: 'Prober',
      Permissions: 'ProbeSignature ContactSearch',
      UniversalAccess: true,
    });
    const { caller } = await p.user('prober', 'Prober');
    assert.equal((await call(caller, 'Contact/Search?LastName=x')).status, 200);
    const refused = await call(caller, 'Contact/Save?LastName={X}', { X: 'Intruder' });
    assert.equal(refused.status, 403);
    assert.match(errorOf(refused).Message, /ContactSave/);
    const nested = await call(caller, 'Probe/Signature?Signature=Contact%2FSave%3FLastName%3DIntruder');
    assert.equal(nested.status, 403);
    assert.equal((await p.admin.get('/api/contact/search?LastName=Intruder&Output=Csv')).text.split('\r\n').length, 2);
  });

  it('KRN-08 the queue form in a signature queues', async () => {
    const answer = await call(p.admin, 'Contact/queue/Save?FirstName={F}', { F: 'Later' });
    assert.match(answer.text, /"QueueMessageID":"[0-9a-f-]{36}"/);
  });

  it('signatures that call one another stop at the depth limit', async () => {
    await p.admin.post('/api/setting/save', { Setting: 'CallDepthMax', Value: '4' });
    let text = 'Probe/Count';
    for (let i = 0; i < 5; i++) text = `Probe/Signature?Signature=${quote(text)}`;
    const answer = await call(p.admin, text);
    assert.equal(errorOf(answer).Code, 'CHAIN_TOO_DEEP', answer.text);
  });
});
