import type { Principal } from '../../kernel/security/identity.ts';
import type { Registry } from '../../kernel/declare/registry.ts';

/** Modules beside those of configuration in which agents change nothing, whatever their user may do: who may do what, and what runs when. */
const CLOSED_MODULES: readonly string[] = ['person', 'queue', 'system'];
/** Permissions that agents never have: a protected number must not come into a model's prompt. */
const WITHHELD = ['UnmaskSSN'] as const;

const withheldByRegistry = new WeakMap<Registry, ReadonlySet<string>>();

/**
 * Whether agents change nothing in a module. Beside the modules that are named these are all whose records are configuration,
 * or stand behind what the installation is and does by itself: what an agent wrote there would act with the rights of others.
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
    const operations = registry.operations().filter(({ effect, module }) => effect === 'write' && closed.has(module));
    withheldByRegistry.set(
      registry,
      (names = new Set([...WITHHELD, ...operations.map(({ permissionName }) => permissionName)])),
    );
  }
  return names;
}

/** A user as an agent acts for them: the same reach, and the same permissions but for those that agents never have, now and in what is queued. */
export function restrictToAgent(registry: Registry, user: Principal): Principal {
  const withheld = withheldFrom(registry);
  return { ...user, permissions: new Set([...user.permissions].filter((name) => !withheld.has(name))), agent: true };
}
