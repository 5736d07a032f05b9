/**
 * Limits configuration to what its author may do: whoever saves a record that makes calls must be allowed to make each
 * call that the save adds or changes. Otherwise a workflow step, which runs as a built-in user, or an import type,
 * which an administrator uses, could do for them what they may not do themselves.
 */
import type { Row } from '../../door/answer.ts';
import { recordId } from '../../door/answer.ts';
import { authorize } from '../../door/authorize.ts';
import type { Context } from '../../door/context.ts';
import { PlatformError } from '../../door/errors.ts';
import { parseRoute } from '../../door/route.ts';
import { parseSignature, type Signature } from '../../door/signature.ts';
import type { ConfiguredCall } from '../../declare/call-source.ts';
import type { Operation } from '../../declare/operation.ts';
import { isConfiguration, type RecordType } from '../../declare/record.ts';
import { isBuiltinUser } from '../../security/system-user.ts';
import { assertMayName, findRecord, isAdministration } from '../search/read.ts';
import { planOptions, planSave } from './plan.ts';
import { assertMayNest, nestedPlans } from './save-authorization.ts';

/** The calls of records before a change, by the record's ID; each as its text. */
export type CallsBefore = ReadonlyMap<number, ReadonlySet<string>>;

const noCalls: CallsBefore = new Map();

/** Returns the calls of stored records that are about to be changed. */
export async function callsBefore(ctx: Context, record: RecordType, ids: readonly number[]): Promise<CallsBefore> {
  if (!readsCalls(ctx, record)) return noCalls;
  const before = new Map<number, ReadonlySet<string>>();
  for (const id of ids) {
    const row = await findRecord(ctx.db, record, id);
    if (row) before.set(id, new Set((await callsOf(ctx, record, row)).map(textOf)));
  }
  return before;
}

/**
 * Throws NO_PERMISSION unless the calling user may make the calls of stored records themselves, as far as the change
 * has added or changed them.
 */
export async function assertMayConfigureCalls(
  ctx: Context,
  record: RecordType,
  rows: readonly Row[],
  before: CallsBefore,
): Promise<void> {
  if (!readsCalls(ctx, record)) return;
  for (const row of rows) {
    const known = before.get(recordId(record, row));
    for (const call of await callsOf(ctx, record, row))
      if (known?.has(textOf(call)) !== true) await assertMayConfigure(ctx, call);
  }
}

/** A call with the record that configures it. */
interface PlacedCall extends ConfiguredCall {
  /** What messages call the record. */
  readonly place?: string | undefined;
}

/** Whether stored records of a type configure calls, or name a record type for which they are. */
export function readsCalls(ctx: Context, record: RecordType): boolean {
  return ctx.registry.callSources(record).some(({ calls }) => calls !== undefined) || typeColumns(record).length > 0;
}

/** The columns in which configuration names the type of the records whose values it reads. */
function typeColumns(record: RecordType): readonly string[] {
  return isConfiguration(record) ? ['AppliesTo', 'SourceObject'].filter((name) => record.valueColumns.has(name)) : [];
}

/** Returns the searches that a record of configuration amounts to, if it is for records of administration. */
function readTypes(ctx: Context, record: RecordType, row: Row): PlacedCall[] {
  return typeColumns(record).flatMap((field): PlacedCall[] => {
    const name = row[field];
    const read = typeof name === 'string' ? ctx.registry.record(name.trim()) : undefined;
    return read && isAdministration(ctx, read) ? [{ field, signature: `${read.module}/search`, verb: 'reads by' }] : [];
  });
}

async function callsOf(ctx: Context, record: RecordType, row: Row): Promise<PlacedCall[]> {
  const found = readTypes(ctx, record, row);
  for (const source of ctx.registry.callSources(record))
    for (const call of (await source.calls?.(ctx, row)) ?? []) found.push({ ...call, place: source.place?.(row) });
  return found;
}

function textOf({ field, signature, basis, verb }: ConfiguredCall): string {
  return JSON.stringify([field, signature, basis, verb]);
}

/**
 * Throws NO_PERMISSION unless the calling user may make a call themselves. A call whose rights depend on who makes it
 * (of users, roles, keys, or configuration that makes calls) takes somebody who may do everything, since it runs with
 * the rights of another user.
 */
export async function assertMayConfigure(ctx: Context, call: PlacedCall): Promise<void> {
  const signature = parsed(call);
  const operation = signature && (await operationOf(ctx, signature));
  // What cannot be called is refused where it is checked, or when it is called.
  if (!operation) return;
  try {
    authorize(ctx.user, operation);
    if (namesByValue(ctx, operation, signature))
      await assertHoldsEverything(ctx, 'names a record type that is only known when the call is made');
    const changed = assertMayChangeNested(ctx, operation, signature);
    if (needsEverything(ctx, operation, changed, call)) await assertHoldsEverything(ctx, changeOf(operation));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'NO_PERMISSION') throw error;
    const place = call.place === undefined ? '' : `${call.place}: `;
    throw new PlatformError('NO_PERMISSION', {
      field: call.field,
      message:
        `${place}${call.field} ${call.verb ?? 'calls'} ${operation.permissionName}. ${error.message} ` +
        'You can only configure calls that you may make yourself.',
      cause: error,
    });
  }
}

function parsed({ signature, field }: ConfiguredCall): Signature | undefined {
  try {
    return parseSignature(signature, { field });
  } catch {
    return undefined;
  }
}

async function operationOf(ctx: Context, { route }: Signature): Promise<Operation | undefined> {
  const { operation, module, path } = parseRoute(ctx.registry, route.split('/'), 'POST');
  return operation ?? (await ctx.findOperation(module, path));
}

/** Parameters with the type of a record that an operation reads, or to which it attaches another. */
const typeParameters: ReadonlySet<string> = new Set([
  'object',
  'sourceobject',
  'primaryobject',
  'linkedobject',
  'appliesto',
  'classname',
]);

/**
 * Throws NO_PERMISSION unless the calling user may name the types of records in a call. Returns whether it takes one
 * from a value of a record; `{Object}` is the parent of the record on which the configuration is used, which was
 * checked when it was attached.
 */
function namesByValue(ctx: Context, { free }: Operation, { route, parameters }: Signature): boolean {
  const caller = { authority: 'checked', registry: ctx.registry, user: ctx.user } as const;
  const { parent } = parseRoute(ctx.registry, route.split('/'), 'POST');
  if (parent) assertMayName(caller, parent.record, 'Object');
  if (free === 'filters') return false;
  const named = parameters.filter(({ name }) => typeParameters.has(name.split('_').at(-1)?.toLowerCase() ?? ''));
  for (const { name, parts } of named) {
    const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
    const record = ctx.registry.record(text.trim());
    if (record) assertMayName(caller, record, name);
  }
  return named.some(({ parts }) =>
    parts.some(
      (part) => 'expression' in part && (parts.length > 1 || part.expression.trim().toLowerCase() !== 'object'),
    ),
  );
}

/** Checks what a save would save along the way, by the names of its parameters. Returns these record types. */
function assertMayChangeNested(
  ctx: Context,
  { record, free }: Operation,
  { parameters }: Signature,
): readonly RecordType[] {
  if (!record || free !== 'fields') return [];
  try {
    const names = Object.fromEntries(parameters.map(({ name }) => [name, null]));
    const plan = planSave(ctx.registry, record, names, planOptions(ctx));
    assertMayNest(ctx, plan);
    return [...nestedPlans(plan), ...plan.parent.values()].map((nested) => nested.record);
  } catch (error) {
    if (error instanceof PlatformError && error.code !== 'NO_PERMISSION') return [];
    throw error;
  }
}

/** Whether only users with all permissions can configure a call. */
function needsEverything(
  ctx: Context,
  operation: Operation,
  nested: readonly RecordType[],
  { verb }: ConfiguredCall,
): boolean {
  if (verb !== 'decides on') return changesRights(ctx, operation, nested);
  // A rule calls nothing, but one on users, roles or keys could lock out those who administer them.
  const { effect, record } = operation;
  return effect !== 'read' && record !== undefined && ctx.registry.isAccessControl(record);
}

/** Whether what a call may do depends on the rights of the user who makes it. */
function changesRights(ctx: Context, operation: Operation, nested: readonly RecordType[]): boolean {
  const { effect, record, callsNamed } = operation;
  if (effect === 'read') return false;
  const { registry } = ctx;
  return (
    callsNamed === true ||
    [...(record ? [record] : []), ...nested].some(
      (changed) => registry.isAccessControl(changed) || registry.callSources(changed).length > 0,
    )
  );
}

function changeOf({ callsNamed }: Operation): string {
  return callsNamed === true
    ? 'calls operations that its parameters or a file name'
    : 'changes users, roles, keys or configuration';
}

async function assertHoldsEverything(ctx: Context, what: string): Promise<void> {
  const builtinId = await ctx.builtinPersonId('Workflow');
  if (builtinId === undefined) return;
  const { permissions } = await ctx.principalOf(builtinId);
  const { user } = ctx;
  // A workflow step would change what its own authors could not.
  const isStep = isBuiltinUser(user, 'Workflow');
  if (!isStep && user.universal && [...permissions].every((name) => user.permissions.has(name))) return;
  throw new PlatformError('NO_PERMISSION', {
    message: `It ${what}; only users with all permissions can configure that.`,
  });
}
