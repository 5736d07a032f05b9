import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { testPlatform, type Caller } from '../../support/platform.ts';

const p = await testPlatform({ after });

function query(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams({ Output: 'Json', ...values }).toString();
}

async function match(
  caller: Caller,
  values: Readonly<Record<string, string>>,
): Promise<{ Confidence: number; Explanation?: string | null }> {
  const answer = await caller.get(`/api/contact/matchnames?${query(values)}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json() as unknown as { Confidence: number; Explanation?: string | null };
}

async function contained(
  caller: Caller,
  values: Readonly<Record<string, string>>,
): Promise<{ Contained: boolean; Confidence: number }> {
  const answer = await caller.get(`/api/contact/isnamecontained?${query(values)}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json() as unknown as { Contained: boolean; Confidence: number };
}

describe('names over HTTP', async () => {
  const firm = await p.firm('Names Law');

  it('CON-05 matchnames returns the confidence that two names are the same, and with Explain the evidence for and against', async () => {
    assert.equal((await match(p.admin, { FirstName: 'Ruth Harper', SecondName: ' RUTH  harper' })).Confidence, 100);
    const same = await match(p.admin, { FirstName: 'Harper, Bill', SecondName: 'William Harper', Explain: 'true' });
    assert.ok(same.Confidence >= 90 && same.Confidence < 100, String(same.Confidence));
    assert.match(same.Explanation ?? '', /^Surname: harper \/ harper: the same \(100\)$/mu);
    assert.match(same.Explanation ?? '', /^Given name: bill \/ william: a short form \(\d+\)$/mu);
    const other = await match(p.admin, { FirstName: 'Walter Hollis II', SecondName: 'Walter Hollis III' });
    assert.ok(other.Confidence < 80 && !other.Explanation, JSON.stringify(other));
  });

  it('CON-05 isnamecontained returns whether a name appears in a text, by default only if certain', async () => {
    const text = 'Estate of John A. Smith and Mary Smith';
    assert.deepEqual(await contained(p.admin, { Name: 'SMITH, JOHN A', ContainedIn: text }), {
      Contained: true,
      Confidence: 100,
    });
    assert.equal((await contained(p.admin, { Name: 'J. A. Smith', ContainedIn: text })).Contained, false);
    assert.equal(
      (await contained(p.admin, { Name: 'J. A. Smith', ContainedIn: text, Confidence: '80' })).Contained,
      true,
    );
    assert.equal(
      (await contained(p.admin, { Name: 'Ruth Smith', ContainedIn: text, Confidence: '80' })).Contained,
      false,
    );
  });

  it('CON-05 a name that is missing, empty, invisible or too long is refused by its parameter', async () => {
    for (const [path, values, field] of [
      ['matchnames', { FirstName: 'Ruth Harper' }, 'SecondName'],
      ['matchnames', { FirstName: '', SecondName: 'Ruth Harper' }, 'FirstName'],
      ['matchnames', { FirstName: 'Ruth Harper', SecondName: ' \u200b . ' }, 'SecondName'],
      ['matchnames', { FirstName: 'a'.repeat(1_001), SecondName: 'Ruth Harper' }, 'FirstName'],
      ['isnamecontained', { Name: '\u202b-', ContainedIn: 'Ruth Harper' }, 'Name'],
      ['isnamecontained', { Name: 'Ruth Harper', ContainedIn: 'a '.repeat(2_501) }, 'ContainedIn'],
      ['isnamecontained', { Name: 'Ruth Harper', ContainedIn: 'Ruth Harper', Confidence: '101' }, 'Confidence'],
    ] as const) {
      const answer = await p.admin.get(`/api/contact/${path}?${query(values)}`);
      assert.equal(answer.status, 400, `${path} ${field}: ${answer.text}`);
      assert.ok(answer.text.includes(field), answer.text);
    }
  });

  it('CON-05 a name of a thousand characters and a text of five thousand work', async () => {
    assert.ok((await match(p.admin, { FirstName: 'Jo '.repeat(333), SecondName: 'Ruth Harper' })).Confidence < 80);
    assert.equal(
      (await contained(p.admin, { Name: 'Ruth Harper', ContainedIn: `${'Rut Harpe '.repeat(450)}Ruth Harper` }))
        .Contained,
      true,
    );
    // More passages begin like the name than are compared; those with both of its words come first, wherever they are.
    const like = Array.from({ length: 700 }, (_, n) => `rut${n.toString(36)}`).join(' ');
    assert.equal(
      (await contained(p.admin, { Name: 'Ruth Harper', ContainedIn: `${like} Ruth Harper` })).Confidence,
      100,
    );
  });

  it('CON-05 KRN-17 firms may use both operations, which read no data; a user without the permission may not', async () => {
    assert.ok((await match(firm.caller, { FirstName: 'Bob Barlow', SecondName: 'Robert Barlow' })).Confidence >= 90);
    assert.equal((await contained(firm.caller, { Name: 'Bob Barlow', ContainedIn: 'Bob Barlow' })).Contained, true);
    const none = await p.user('nobody for names', '');
    for (const path of ['matchnames?FirstName=a&SecondName=a', 'isnamecontained?Name=a&ContainedIn=a'])
      assert.equal((await none.caller.get(`/api/contact/${path}`)).status, 403, path);
  });
});
