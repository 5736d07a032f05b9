import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProviderType } from '../../../src/contracts/provider-options.ts';
import type { Configuration } from '../../../src/kernel/database/configuration.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { defineRecord } from '../../../src/kernel/declare/record.ts';
import type { Values } from '../../../src/kernel/declare/values.ts';
import type { Log } from '../../../src/kernel/ports/log.ts';
import { contract, ProviderRegistry } from '../../../src/kernel/ports/providers.ts';
import { cipherFromKeys, newKey } from '../../../src/kernel/security/cipher.ts';
import {
  checkProvider,
  openOptions,
  providerColumns,
  type ProviderRecord,
  type StoredProvider,
} from '../../../src/lib/saved-providers/provider-record.ts';
import { OpenedProviders } from '../../../src/lib/saved-providers/saved-providers.ts';

const relay = defineRecord({
  name: 'Relay',
  doc: 'A server that forwards.',
  reach: 'none',
  fields: {
    Host: f.text({ doc: 'The server.' }),
    HostKey: f.text({ doc: 'Its key.' }),
    Password: f.secret({ doc: 'The password.' }),
    Seal: f.secret({ doc: 'Never sent.' }),
    ConnectionsMax: f.integer({ doc: 'Most connections.' }),
    Options: f.text({ doc: 'Other options.' }),
    Secrets: f.secret({ doc: 'Other secrets.' }),
  },
});
const of: ProviderRecord<typeof relay> = {
  record: relay,
  noun: 'relay',
  options: ['Host', 'HostKey', 'Password', 'Seal', 'ConnectionsMax'],
  secretBytesMax: { Password: 10, Seal: 10, Secrets: 20 },
  destination: ['RelayType', 'Host', 'Options'],
  pins: ['HostKey'],
  sentSecrets: ['Password', 'Secrets'],
  limits: { ConnectionsMax: 4 },
};
const cipher = cipherFromKeys(newKey());

interface Relay {
  readonly host: unknown;
  close(): Promise<void>;
}

const { Options: _options, Secrets: _secrets, ...options } = relay.fields;

/** Returns a type of relays that logs which are closed. */
function relays(closed: string[]): ProviderType<Relay, typeof options> {
  return {
    options,
    validate: () => undefined,
    open: ({ name, options: { Host: host } }) => ({ host, close: async () => void closed.push(name) }),
  };
}

function save(values: Values<typeof relay>, before?: StoredProvider): Values {
  const type = { name: 'plain', kind: relays([]) };
  checkProvider(of, cipher, { id: 1, name: 'r', type, values, before });
  return values;
}

const stored = save({ Host: 'a', HostKey: 'k', Password: 'p', Seal: 's' });

describe('a provider that is saved', () => {
  it('has its secrets encrypted, which open as those of their column', () => {
    assert.notEqual(stored['Password'], 'p');
    const { columns } = openOptions(of, cipher, stored);
    assert.deepEqual([columns.get('Host'), columns.get('Password'), columns.get('Seal')], ['a', 'p', 's']);
    assert.throws(() => openOptions(of, cipher, { ...stored, Seal: stored['Password'] }));
  });

  it('loses the secrets that are not sent again when its address changes, and keeps those that are never sent', () => {
    assert.deepEqual(save({ Host: 'b' }, stored), { Host: 'b', Password: null, Secrets: null });
    assert.deepEqual(save({ HostKey: 'other' }, stored), { HostKey: 'other', Password: null, Secrets: null });
    assert.deepEqual(Object.keys(save({ Host: 'b', Password: 'new' }, stored)), ['Host', 'Password', 'Secrets']);
  });

  it('keeps its secrets where nothing of the address changes, or the first key of its host is saved', () => {
    assert.deepEqual(save({ Host: 'a', ConnectionsMax: 2 }, stored), { Host: 'a', ConnectionsMax: 2 });
    assert.deepEqual(save({ HostKey: 'k' }, { ...stored, HostKey: null }), { HostKey: 'k' });
  });

  it('is refused with too long a secret, a number beyond its limit, or an option that its type does not have', () => {
    assert.throws(() => save({ Password: 'longer than ten' }), { code: 'BAD_PARAMETER', field: 'Password' });
    assert.throws(() => save({ ConnectionsMax: 5 }), { code: 'BAD_PARAMETER', field: 'ConnectionsMax' });
    assert.throws(() => save({ Options: 'Region=eu' }), { code: 'BAD_PARAMETER', field: 'Options' });
  });

  it('is read with its columns by declared name', () => {
    assert.equal(
      providerColumns(of),
      'relayid as "RelayID", relay as "Relay", relaytype as "RelayType", options as "Options", secrets as "Secrets", ' +
        'host as "Host", hostkey as "HostKey", password as "Password", seal as "Seal", ' +
        'connectionsmax as "ConnectionsMax"',
    );
  });
});

/** Returns saved providers whose rows are replaced by `change`, and what was closed and logged. */
function savedProviders() {
  const closed: string[] = [];
  const logged: string[] = [];
  const type = contract<ProviderType<Relay>>('relay-type');
  const types = new ProviderRegistry();
  types.register(type, 'plain', relays(closed));
  let loaded: Promise<unknown> = Promise.resolve([]);
  const configuration = { ensureFresh: () => undefined, get: () => loaded, db: undefined };
  const providers = new OpenedProviders<Relay>(
    {
      configuration: configuration as unknown as Configuration,
      types,
      cipher,
      log: { error: (message: string) => logged.push(message) } as unknown as Log,
    },
    { of, type, defaultType: 'plain', load: async () => [] },
  );
  const change = async (rows: readonly StoredProvider[]): Promise<void> => {
    loaded = Promise.resolve(rows);
    await providers.fresh();
  };
  return { providers, change, closed, logged };
}

describe('saved providers', () => {
  const [a, b] = [
    { ...stored, RelayID: 1, Relay: 'A' },
    { ...stored, RelayID: 2, Relay: 'B' },
  ];

  it('are opened as saved, ignoring the case of names, and stay open while they are unchanged', async () => {
    const { providers, change, closed } = savedProviders();
    await change([a, b]);
    const opened = providers.get('a');
    assert.deepEqual([providers.names(), opened?.host], [['A', 'B'], 'a']);
    await change([a, { ...b, Host: 'c' }]);
    assert.equal(providers.get('A'), opened);
    assert.deepEqual([providers.get('b')?.host, closed], ['c', ['B']]);
    await change([a]);
    assert.deepEqual([providers.names(), closed], [['A'], ['B', 'B']]);
    await providers.close();
    assert.deepEqual([providers.names(), closed], [[], ['B', 'B', 'A']]);
  });

  it('without a known kind, or with secrets that do not open, are skipped', async () => {
    const { providers, change, logged } = savedProviders();
    await change([
      { ...a, RelayType: 'other' },
      { ...b, Password: 'not encrypted' },
    ]);
    assert.deepEqual(providers.names(), []);
    assert.equal(logged.length, 2);
    assert.match(logged[0] ?? '', /^relay skipped: /);
  });
});
