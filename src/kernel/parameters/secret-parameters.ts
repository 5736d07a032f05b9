import type { Operation } from '../declare/operation.ts';
import type { RecordType } from '../declare/record.ts';
import type { Registry } from '../declare/registry.ts';
import { PlatformError } from '../door/errors.ts';
import { declaredParameter } from './parse-parameters.ts';
import type { Parameters } from './parameters.ts';
import type { RawValue } from './parse-value.ts';

/**
 * Throws BAD_PARAMETER for a secret in the query of an address, such as a password or a Social Security number: servers
 * and proxies log addresses, and browsers remember them. Without a value it is no secret.
 */
export function assertNoSecretInQuery(registry: Registry, operation: Operation, query: Parameters): void {
  for (const name in query) {
    if (isHarmless(query[name] ?? null) || !isSecretParameter(registry, operation, name)) continue;
    throw new PlatformError('BAD_PARAMETER', {
      field: name,
      message:
        `${name}: it is secret and must not be part of an address, which servers and browsers store. ` +
        'Send it in the body of a POST request.',
    });
  }
}

/** Empty values and filters such as `not null` contain no secret. */
function isHarmless(raw: RawValue): boolean {
  return raw === null || (typeof raw === 'string' && /^\s*(?:(?:not\s+)?null)?\s*$/i.test(raw));
}

/** Whether a parameter of an operation is secret, also one of a child or of another record that it saves. */
export function isSecretParameter(registry: Registry, operation: Operation, name: string): boolean {
  const declared = declaredParameter(operation, name);
  if (declared) return declared.classification === 'secret';
  // `Contacts_0_USSSN` and `ParentContact_USSSN` are columns of other records.
  const member = name.toLowerCase().split('_').at(-1) ?? '';
  const own = operation.record?.columns.get(member);
  return own ? own.field.classification === 'secret' : alwaysSecret(registry).has(member);
}

const secretByRegistry = new WeakMap<Registry, ReadonlySet<string>>();

/** Returns the lower-cased names of columns that are secret in every record type that has them. */
function alwaysSecret(registry: Registry): ReadonlySet<string> {
  let names = secretByRegistry.get(registry);
  if (!names) {
    const secret = new Set<string>();
    const open = new Set<string>();
    const note = ({ columns }: RecordType): void => {
      for (const [name, { field }] of columns) (field.classification === 'secret' ? secret : open).add(name);
    };
    for (const record of registry.records()) note(record);
    secretByRegistry.set(registry, (names = new Set([...secret].filter((name) => !open.has(name)))));
  }
  return names;
}
