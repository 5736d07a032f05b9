import type { Principal } from '../../kernel/security/identity.ts';
import type { Registry } from '../../kernel/declare/registry.ts';

/** Modules in which agents change nothing, besides configuration: who may do what, and what runs when. */
const CLOSED_MODULES: readonly string[] = ['person', 'queue', 'system'];
const withheldByRegistry = new WeakMap<Registry, ReadonlySet<string>>();

/**
 * Whether agents may change nothing in a module: a listed one, or one whose records are configuration or internal. What
 * an agent wrote there would act with the rights of others.
 */
export function isClosedToAgents(registry: Registry, module: string): boolean {
  return (
    CLOSED_MODULES.includes(module) ||
    registry
      .records()
      .some((record) => record.module === module && (record.reach === 'configuration' || record.reach === 'none'))
  );
}

function withheldFrom(registry: Registry): ReadonlySet<string> {
  let names = withheldByRegistry.get(registry);
  if (!names) {
    const modules = new Set(registry.operations().map(({ module }) => module));
    const closed = new Set([...modules].filter((module) => isClosedToAgents(registry, module)));
    // A secret must not enter a model's prompt.
    const operations = registry
      .operations()
      .filter(
        ({ effect, module, secretAnswer }) => secretAnswer === true || (effect === 'write' && closed.has(module)),
      );
    withheldByRegistry.set(registry, (names = new Set(operations.map(({ permissionName }) => permissionName))));
  }
  return names;
}

/**
 * Returns the principal of an agent that acts for a user: the same reach, and the same permissions except those that
 * agents never have, also in what it queues.
 */
export function restrictToAgent(registry: Registry, user: Principal): Principal {
  const withheld = withheldFrom(registry);
  return { ...user, permissions: new Set([...user.permissions].filter((name) => !withheld.has(name))), agent: true };
}
