import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { columnText } from '../../lib/column-text.ts';
import { findPerson, findTeam, parseId, isInTeam } from './teams.ts';
import { namedWorklist, openWorklist, templateOf, type Worklist } from './worklists.ts';

/** The record of an item. */
export interface SourceRecord {
  readonly object: string;
  readonly id: number;
}

/** Where an item goes. Null: unassigned, or none. */
export interface Assignment {
  readonly worklist: Worklist;
  readonly teamId: number | null;
  readonly personId: number | null;
  readonly priority: number | null;
}

/** What the caller or the form has decided already; undefined if not. */
export interface FixedAssignment {
  readonly teamId?: number | null | undefined;
  readonly personId?: number | null | undefined;
  readonly priority?: number | null | undefined;
}

/** The outputs of the best row of a team matrix, as far as they are filled. */
interface MatrixOutputs {
  readonly team?: string;
  readonly person?: string;
  readonly priority?: string;
  readonly worklist?: string;
}

/**
 * Decides where an item goes: by the given values, then the template's team matrix, then the worklist's team and
 * priority, then its template's. If a matrix fails or names something unknown, the item is created anyway, with a
 * warning.
 */
export async function assignItem(
  ctx: Context,
  worklist: Worklist,
  source: SourceRecord,
  given: FixedAssignment,
): Promise<Assignment> {
  const template = await templateOf(ctx, worklist.templateId);
  const outputs =
    typeof template?.teamMatrixId === 'number' ? await lookUpTeamMatrix(ctx, template.teamMatrixId, source) : {};
  const target = outputs.worklist === undefined ? worklist : await worklistOrFallback(ctx, outputs.worklist, worklist);
  const defaults = await defaultsOf(ctx, target, worklist);
  const teamId =
    given.teamId === undefined ? ((await resolveTeamOutput(ctx, outputs.team)) ?? defaults.teamId) : given.teamId;
  const personId =
    given.personId === undefined ? ((await resolvePersonOutput(ctx, outputs.person, teamId)) ?? null) : given.personId;
  const priority =
    given.priority === undefined ? (resolvePriorityOutput(ctx, outputs.priority) ?? defaults.priority) : given.priority;
  return { worklist: target, teamId, personId, priority };
}

/** Returns the defaults of the worklist an item goes to, then those of the one it was meant for. */
async function defaultsOf(ctx: Context, target: Worklist, worklist: Worklist): Promise<Required<AssignmentDefaults>> {
  const moved = target === worklist ? {} : await assignmentDefaults(ctx, target);
  const original = await assignmentDefaults(ctx, worklist);
  return {
    teamId: moved.teamId ?? original.teamId ?? null,
    priority: moved.priority ?? original.priority ?? null,
  };
}

/** Team and priority if no matrix decides. */
interface AssignmentDefaults {
  readonly teamId?: number | null;
  readonly priority?: number | null;
}

/** Returns the worklist's team and priority, or else its template's. */
export async function assignmentDefaults(ctx: Context, worklist: Worklist): Promise<AssignmentDefaults> {
  const template = await templateOf(ctx, worklist.templateId);
  return {
    teamId: worklist.teamId ?? template?.teamId ?? null,
    priority: worklist.priority ?? template?.priority ?? null,
  };
}

/** Returns the best row of the team matrix, if it matches. */
async function lookUpTeamMatrix(ctx: Context, matrixId: number, { object, id }: SourceRecord): Promise<MatrixOutputs> {
  try {
    // In a savepoint: a database error would otherwise undo earlier work.
    const { rows } = await ctx.savepoint(() =>
      ctx.call('matrix/lookupbyobject', { ID: matrixId, Object: object, ObjectID: id, DisplaySize: 1 }),
    );
    const [row] = rows;
    if (!row || Number(row.MisMatchCount) > 0) return {};
    const output = (name: string): Record<string, string> => {
      const text = outputOf(row, name);
      return text === undefined ? {} : { [name.toLowerCase().replace('smart', '')]: text };
    };
    return { ...output('Team'), ...output('Person'), ...output('Priority'), ...output('SmartWorklist') };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    ctx.alert({ code: 'NO_ASSIGNMENT', text: `The team matrix failed: ${error.message}`, id: matrixId });
    return {};
  }
}

/** Returns an output by name, ignoring case: the ID of a record it refers to, or else its text. */
export function outputOf(row: Row, name: string): string | undefined {
  const found = Object.keys(row).find((key) => key.toLowerCase() === name.toLowerCase());
  if (found === undefined) return undefined;
  const pointed: unknown = row[`${found}ObjectID`];
  if (typeof pointed === 'number') return String(pointed);
  const value: unknown = row[found] ?? null;
  const text = columnText(value).trim();
  return text === '' ? undefined : text;
}

async function resolveTeamOutput(ctx: Context, output: string | undefined): Promise<number | undefined> {
  if (output === undefined) return undefined;
  const found = await ctx.transaction().elevated((db) => findTeam(db, output));
  if (found === undefined) warnUnresolved(ctx, 'Team', output, 'the name of a collection of users');
  return found;
}

async function resolvePersonOutput(
  ctx: Context,
  output: string | undefined,
  teamId: number | null,
): Promise<number | undefined> {
  if (output === undefined) return undefined;
  const found = await ctx.transaction().elevated(async (db) => {
    const id = await findPerson(db, output);
    // Neither a user outside the team nor the team could ever take such an item.
    return id !== undefined && (await isInTeam(ctx, db, teamId, id)) ? id : undefined;
  });
  if (found === undefined) warnUnresolved(ctx, 'Person', output, "the name of an active user of the work item's team");
  return found;
}

function resolvePriorityOutput(ctx: Context, output: string | undefined): number | undefined {
  if (output === undefined) return undefined;
  if (/^-?\d{1,9}$/.test(output)) return Number(output);
  warnUnresolved(ctx, 'Priority', output, 'a whole number');
  return undefined;
}

async function worklistOrFallback(ctx: Context, output: string, fallback: Worklist): Promise<Worklist> {
  const found = await resolveWorklistOutput(ctx, output);
  if (!found) warnUnresolved(ctx, 'SmartWorklist', output, 'the name of an open queue');
  return found ?? fallback;
}

/** Returns the open worklist that a matrix output names by ID or name. */
export async function resolveWorklistOutput(ctx: Context, output: string): Promise<Worklist | undefined> {
  const id = parseId(output);
  return id === null ? namedWorklist(ctx, output) : openWorklist(ctx, id).catch(undefinedWhenRefused);
}

function undefinedWhenRefused(error: unknown): undefined {
  if (!(error instanceof PlatformError)) throw error;
}

/** Most characters of a matrix output repeated in a warning. */
export const OUTPUT_CHARACTERS_MAX = 100;

function warnUnresolved(ctx: Context, name: string, value: string, expected: string): void {
  ctx.alert({
    code: 'NO_ASSIGNMENT',
    text: `The team matrix returned the ${name} "${value.slice(0, OUTPUT_CHARACTERS_MAX)}"; expected ${expected}.`,
  });
}
