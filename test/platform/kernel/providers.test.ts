import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { SCORE_ENGINE } from '../../../src/contracts/score-engine.ts';
import { item } from '../../../src/kernel/door/answer.ts';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { contract, ProviderRegistry, type Contract } from '../../../src/kernel/ports/providers.ts';
import { namedPermissions } from '../../../src/kernel/declare/registry.ts';
import { testPlatform } from '../../support/platform.ts';
import { fixture, work } from '../../support/kernel/fixture.ts';

const p = await testPlatform({ after }, { fixture });

const outbound = contract<string>('mail-outbound');
const generator = contract<number>('generator');

describe('providers', () => {
  it('KRN-29 are found by name regardless of case; without a name the first registered one is used', () => {
    const providers = new ProviderRegistry();
    providers.register(outbound, 'Smtp', 'first');
    providers.register(outbound, 'Spool', 'second');
    providers.register(generator, 'smtp', 3);
    assert.deepEqual(
      [
        providers.get(outbound),
        providers.get(outbound, 'SPOOL'),
        providers.get(outbound, 'smtp'),
        providers.get(generator, 'Smtp'),
      ],
      ['first', 'second', 'first', 3],
    );
    assert.deepEqual(providers.names(outbound), ['Smtp', 'Spool']);
    assert.throws(() => providers.register(outbound, 'SMTP', 'again'), /two providers of mail-outbound are named SMTP/);
  });

  it('KRN-29 saved ones follow the registered ones, which win if the name is the same', () => {
    const providers = new ProviderRegistry();
    const saved = new Map([
      ['Smtp', 'saved'],
      ['Other', 'other'],
    ]);
    providers.join(outbound, { get: (name) => saved.get(name), names: () => [...saved.keys()] });
    assert.equal(providers.get(outbound), 'saved', 'the first saved one is the default while none is registered');
    providers.register(outbound, 'Smtp', 'registered');
    assert.deepEqual(providers.names(outbound), ['Smtp', 'Smtp', 'Other']);
    assert.deepEqual(
      [providers.get(outbound), providers.get(outbound, 'Smtp'), providers.get(outbound, 'Other')],
      ['registered', 'registered', 'other'],
    );
  });

  it('KRN-29 an unknown name is an error that lists the nearest and the known names, also for a contract without providers', async () => {
    const providers = new ProviderRegistry();
    providers.register(outbound, 'Smtp', '');
    const refused = (of: Contract<unknown>, name: string | undefined, message: RegExp): void =>
      assert.throws(
        () => providers.get(of, name),
        (e) =>
          e instanceof PlatformError && e.code === 'UNKNOWN_PROVIDER' && e.status === 422 && message.test(e.message),
      );
    refused(outbound, 'Smpt', /^No mail-outbound provider is named Smpt\. Did you mean Smtp\? Known: Smtp\.$/);
    refused(outbound, '', /Known: Smtp/);
    refused(generator, undefined, /^No generator provider is named \(default\)\. Known: none\.$/);
    for (const name of ['__proto__', 'constructor', 'toString']) refused(outbound, name, /Known: Smtp/);
    work.set('provider', async (ctx) =>
      item('Provider', {}, { Doc: ctx.providers.get(SCORE_ENGINE, 'NoSuchEngine').doc }),
    );
    const answer = await p.admin.get('/api/probe/run?Work=provider');
    assert.equal(answer.status, 422);
    assert.match(answer.text, /Code="UNKNOWN_PROVIDER"/);
  });

  it('KRN-29 have the type of their contract: another type, and a name instead of a contract, do not compile', () => {
    const providers = new ProviderRegistry();
    // @ts-expect-error -- a provider of this contract is a text
    providers.register(outbound, 'Number', 1);
    // @ts-expect-error -- so is a saved one
    providers.join(outbound, { get: () => 1, names: () => [] });
    // @ts-expect-error -- a provider of this contract is a number
    const text = (): string => providers.get(generator);
    assert.throws(text, PlatformError);
    // @ts-expect-error -- a contract is not named by a text
    assert.throws(() => providers.get('mail-outbound', 'Number'), PlatformError);
    assert.throws(() => providers.get(contract<string>('mail-outbound')), PlatformError, 'a name is not the contract');
  });

  it('KRN-29 every contract is declared once, as a constant in a file of contracts', () => {
    const declared = globSync('src/**/*.ts').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^(.*)\bcontract<\w+>\(\s*'([^']+)'/gm)]
        .filter(([, before = '']) => !before.trimStart().startsWith('*'))
        .map(([, before = '', name = '']) => ({ file, name, isConstant: /^export const [A-Z_]+ = $/.test(before) })),
    );
    assert.ok(declared.length >= 9);
    assert.equal(new Set(declared.map(({ name }) => name)).size, declared.length);
    assert.deepEqual(
      declared.filter(({ file, isConstant }) => !file.startsWith('src/contracts/') || !isConstant),
      [],
    );
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
