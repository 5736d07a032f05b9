import type { Context } from '../../../../kernel/door/context.ts';
import type { Operation } from '../../../../kernel/declare/operation.ts';
import { declaredParameter } from '../../../../kernel/parameters/parse-parameters.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import { isSecretParameter } from '../../../../kernel/parameters/secret-parameters.ts';
import type { QueueMessage } from '../../../../kernel/ports/queue.ts';
import { maskedStart } from '../../../../kernel/security/mask.ts';

/** Characters of a value that are shown. */
const VALUE_CHARACTERS = 500;
/** Parameters that are shown. */
const PARAMETERS_MAX = 200;

/** A parameter of a queued call, as operators see it. */
export interface ShownParameter {
  readonly Name: string;
  readonly Value: string | null;
  /** Why the value is not shown. */
  readonly Hidden: string | null;
}

/** Whether the user may make the same call as a message. */
export function mayMakeCall(ctx: Pick<Context, 'registry' | 'user'>, message: QueueMessage): boolean {
  // A called statement is configuration and has no entry in the registry; only its caller sees its rows.
  const permission = ctx.registry.operation(message.Operation)?.permissionName;
  return message.PersonID === ctx.user.personId || (permission !== undefined && ctx.user.permissions.has(permission));
}

/**
 * Returns the parameters of a queued call. Secrets are never shown, personal values to those who may make the call.
 * What looks like a Social Security number is masked in all of them.
 */
export function shownParameters(
  ctx: Pick<Context, 'registry' | 'user'>,
  message: QueueMessage,
): readonly ShownParameter[] {
  const operation = ctx.registry.operation(message.Operation);
  const mayCall = mayMakeCall(ctx, message);
  return Object.entries(message.parameters)
    .slice(0, PARAMETERS_MAX)
    .map(([name, value]) => {
      const hidden = reasonToHide(ctx, operation, { name, mayCall });
      return {
        Name: maskedStart(name, VALUE_CHARACTERS),
        Value: hidden === null ? shownValue(value) : null,
        Hidden: hidden,
      };
    });
}

function reasonToHide(
  { registry }: Pick<Context, 'registry'>,
  operation: Operation | undefined,
  { name, mayCall }: { readonly name: string; readonly mayCall: boolean },
): string | null {
  if (operation && isSecretParameter(registry, operation, name)) return 'it is secret';
  const isOpen = operation !== undefined && declaredParameter(operation, name)?.classification === 'public';
  return mayCall || isOpen ? null : 'you may not make this call';
}

function shownValue(value: RawValue): string {
  return maskedStart(typeof value === 'string' ? value : JSON.stringify(value), VALUE_CHARACTERS);
}
