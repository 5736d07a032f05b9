import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { ProviderRegistry } from '../../../src/kernel/ports/providers.ts';
import { namedPermissions } from '../../../src/kernel/declare/registry.ts';
import { testPlatform } from '../../support/platform.ts';
import { fixture, work } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });

describe('providers', () => {
  it('KRN-29 are found by name regardless of case; without a name the first registered one is used', () => {
    const providers = new ProviderRegistry();
    providers.register('mail-outbound', 'Smtp', 'first');
    providers.register('mail-outbound', 'Spool', 'second');
    providers.register('generator', 'smtp', 'another contract');
    assert.deepEqual(
      [
        providers.get('mail-outbound'),
        providers.get('mail-outbound', 'SPOOL'),
        providers.get('mail-outbound', 'smtp'),
        providers.get('generator', 'Smtp'),
      ],
      ['first', 'second', 'first', 'another contract'],
    );
    assert.deepEqual(providers.names('mail-outbound'), ['Smtp', 'Spool']);
    assert.throws(() => providers.register('mail-outbound', 'SMTP', 'again'), /two providers of mail-outbound/);
  });

  it('KRN-29 an unknown name is an error that lists the nearest and the known names, also for a contract without providers', async () => {
    const providers = new ProviderRegistry();
    providers.register('mail-outbound', 'Smtp', {});
    const refused = (contract: string, name: string | undefined, message: RegExp): void =>
      assert.throws(
        () => providers.get(contract, name),
        (e) =>
          e instanceof PlatformError && e.code === 'UNKNOWN_PROVIDER' && e.status === 422 && message.test(e.message),
      );
    refused('mail-outbound', 'Smpt', /named Smpt\. Did you mean Smtp\? Known: Smtp\./);
    refused('mail-outbound', '', /Known: Smtp/);
    refused('score-engine', undefined, /\(default\)\. Known: none/);
    for (const name of ['__proto__', 'constructor', 'toString']) refused('mail-outbound', name, /Known: Smtp/);
    work.set('provider', async (ctx) => ctx.providers.get('score-engine', 'NoSuchEngine'));
    const answer = await p.admin.get('/api/probe/run?Work=provider');
    assert.equal(answer.status, 422);
    assert.match(answer.text, /Code="UNKNOWN_PROVIDER"/);
  });
});

describe('permissions', () => {
  it('KRN-31 the five that the specification names exist under exactly these names, and can be granted', async () => {
    assert.deepEqual(
      [...namedPermissions],
      [
        'UnmaskSSN',
        'ReportAiToQuery',
        'LedgerUpdateLocked',
        'SmartWorklistMemberReassign',
        'SmartWorklistMemberBulkComplete',
      ],
    );
    const all = p.platform.registry.permissions();
    for (const name of namedPermissions) {
      assert.deepEqual(
        all.filter((n) => n.toLowerCase() === name.toLowerCase()),
        [name],
      );
      assert.equal((await p.admin.post('/api/role/save', { Role: `only ${name}`, Permissions: name })).status, 200);
    }
    assert.equal((await p.admin.post('/api/role/save', { Role: 'wrong', Permissions: 'UnmaskSNS' })).status, 400);
  });

  it("KRN-31 every operation's permission is its class and name joined, unless its declaration gives it one", () => {
    for (const operation of p.platform.registry.operations()) {
      const className = operation.record?.name ?? operation.module.charAt(0).toUpperCase() + operation.module.slice(1);
      assert.equal(operation.permissionName, operation.permission ?? className + operation.name);
    }
    const names = new Set(p.platform.registry.permissions());
    for (const name of ['ContactSave', 'ContactSearch', 'OrganizationDelete', 'ContactMethodInsert'])
      assert.ok(names.has(name), name);
  });
});
