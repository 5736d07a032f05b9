import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { client } from '../../support/client.ts';
import { testSession } from '../../support/pages/session.ts';
import { testPlatform } from '../../support/platform.ts';

const p = await testPlatform({ after });
const admin = client(p);
await p.user('chief', 'Administrator');
await p.user('clerk', 'Staff');

describe('what operators look for', () => {
  it('WEB-06 the palette finds the pages of operators and settings by the words that they type', async () => {
    const session = await testSession(p, 'chief');
    for (const [text, href] of [
      ['dead letters', '/administration/queues#dead-letters'],
      ['pause queue', '/administration/queues#queues'],
      ['revoke key', '/administration/keys'],
      ['slow search', '/administration/indexes'],
      ['disk', '/administration/health'],
      ['session idle', '/administration/settings?Text=SessionIdle'],
    ] as const)
      assert.ok((await session.post('/palette', { Text: text })).text.includes(`href="${href}`), text);
    const none = await session.post('/palette', { Text: 'zebra' });
    assert.doesNotMatch(none.text, /\/administration\//);
  });

  it('WEB-06 the palette offers clerks nothing that would be refused', async () => {
    const session = await testSession(p, 'clerk');
    for (const text of ['dead letters', 'pause queue', 'revoke key', 'session idle'])
      assert.doesNotMatch((await session.post('/palette', { Text: text })).text, /\/administration\//, text);
  });

  it('KRN-15 WEB-06 revoking a leaked key leads to what it was used for, and from which address', async () => {
    const session = await testSession(p, 'chief');
    const { personId } = await p.user('machine', 'Staff');
    const made = await admin.expectOk('apikey/create', { PersonID: personId, Name: 'Nightly <b>' });
    const key = String(made['ApiKeyID']);
    const used = await fetch(`${p.url}/api/contact/search`, { headers: { 'X-ApiKey': String(made['ApiKey']) } });
    assert.equal(used.status, 200);
    const revoked = await session.post('/administration/keys/revoke', { ID: key });
    assert.equal(revoked.location, `/administration/security?Key=${key}&done=revoked`);
    const log = await session.get(revoked.location ?? '');
    assert.match(log.text, /Nightly &lt;b&gt;/);
    for (const event of ['Key created', 'Key used', 'Key revoked']) assert.ok(log.text.includes(event), event);
    assert.match(log.text, /127\.0\.0\.1/);
    assert.ok(log.text.includes(`/administration/security?PersonID=${personId}`));
    const after401 = await fetch(`${p.url}/api/contact/search`, { headers: { 'X-ApiKey': String(made['ApiKey']) } });
    assert.equal(after401.status, 401);
    assert.equal((await session.get('/administration/security?Key=x')).status, 400);
    assert.equal((await (await testSession(p, 'clerk')).get(`/administration/security?Key=${key}`)).status, 403);
  });

  it('WEB-06 KRN-17 says why a user may or may not call an operation: by which role and pattern, and who would', async () => {
    const { personId } = await p.user('temp', 'Staff');
    const explain = (Operation: string) => admin.expectRows('role/explain', { PersonID: personId, Operation });
    const held = (await explain('contact/save')).find(({ Role: role }) => role === 'Staff');
    assert.deepEqual([held?.['Held'], held?.['Grants'], held?.['Permission']], [true, true, 'ContactSave']);
    assert.ok(held?.['Pattern']);
    const refused = await explain('setting/save');
    assert.deepEqual([refused[0]?.['Role'], refused[0]?.['Grants']], ['Staff', false]);
    assert.ok(refused.some(({ Role: role, Grants: grants }) => role === 'Administrator' && grants === true));
    await admin.expectRefused(
      'role/explain',
      { PersonID: personId, Operation: 'no/such' },
      'BAD_PARAMETER',
      'Operation',
    );
    const session = await testSession(p, 'chief');
    const address = `/administration/roles?PersonID=${personId}&Operation=`;
    assert.match((await session.get(`${address}contact/save`)).text, /may<\/span> call\s+<code>contact\/save/);
    assert.match(
      (await session.get(`${address}setting/save`)).text,
      /may not<\/span> call[\s\S]*Administrator would\./,
    );
    assert.match((await session.get(`${address}%3Cb%3E`)).text, /Operation: expected/);
  });
});
