import type { Context } from '../../../../kernel/door/context.ts';
import type { Db } from '../../../../kernel/database/store.ts';

/** A move of a form between statuses. An empty `from`: from any status or none. */
interface Move {
  readonly from: string;
  readonly to: string;
  readonly worklistTemplateId: number | null;
}

/** The worklist rules of a form. Statuses are in lower case. */
export interface FormPlan {
  readonly worklistTemplateId: number | null;
  readonly teamId: number | null;
  readonly moves: readonly Move[];
  readonly finals: ReadonlySet<string>;
}

async function loadFormPlan(db: Db, templateId: number): Promise<FormPlan | undefined> {
  const [template] = await db.query<{ worklistTemplateId: number | null; teamId: number | null }>(
    `select smartworklisttemplateid as "worklistTemplateId", assignedcollectionid as "teamId"
     from importformtemplate
     where importformtemplateid = $1::bigint`,
    [templateId],
  );
  if (!template) return undefined;
  const moves = await db.query<Move>(
    `select lower(coalesce(fromstatus, '')) as from, lower(tostatus) as to,
       smartworklisttemplateid as "worklistTemplateId"
     from importformtransition
     where importformtemplateid = $1::bigint
     order by importformtransitionid`,
    [templateId],
  );
  const finals = await db.query<{ status: string }>(
    `select lower(importformstatus) as status
     from importformstatus
     where importformtemplateid = $1::bigint and isfinal`,
    [templateId],
  );
  return { ...template, moves, finals: new Set(finals.map(({ status }) => status)) };
}

/** Returns a form template's worklist rules, cached until configuration changes; undefined if it has none. */
export async function formPlan(ctx: Context, templateId: unknown): Promise<FormPlan | undefined> {
  if (typeof templateId !== 'number') return undefined;
  const remembered = await ctx.configuration.get(`form worklists ${templateId}`, () =>
    loadFormPlan(ctx.configuration.db, templateId),
  );
  // It may be uncommitted: this transaction may have created it.
  return remembered ?? ctx.transaction().elevated((db) => loadFormPlan(db, templateId));
}

/**
 * Returns the worklist template for a form that has moved to a status: that of the move from the known old status, or
 * else from any; or else the form's own. Undefined for a final status.
 */
export function worklistTemplateFor(plan: FormPlan, from: string | undefined, to: string): number | null | undefined {
  if (plan.finals.has(to)) return undefined;
  const possible = plan.moves.filter((move) => move.to === to);
  const move =
    possible.find((of) => from !== undefined && of.from === from) ??
    possible.find((of) => of.from === '') ??
    (from === undefined ? possible[0] : undefined);
  return move?.worklistTemplateId ?? plan.worklistTemplateId;
}
