import { businessCalendar } from '../../../lib/business-calendar.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { addDuration, durationScaleDoc, durationScales } from '../../../lib/duration.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import { requeueSteps } from './requeue-steps.ts';

/** When steps run again. */
export interface ProcessTime {
  readonly time: 'ProcessNow' | 'ProcessFuture';
  /** How many units of the scale from now. */
  readonly unit: string | null;
  readonly scale: number | null;
}

/** Returns the time at which steps run; undefined for now. */
export async function processDate(ctx: Context, { time, unit, scale }: ProcessTime): Promise<string | undefined> {
  if (time === 'ProcessNow') {
    for (const [name, value] of [
      ['QueueUnit', unit],
      ['QueueScale', scale],
    ] as const)
      if (value !== null) throw bad(name, 'ProcessTime=ProcessFuture with it');
    return undefined;
  }
  if (unit === null)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'QueueUnit',
      message: 'QueueUnit is required with ProcessTime=ProcessFuture: the number of units of QueueScale.',
    });
  const unitName = durationScales[scale ?? 0];
  if (unitName === undefined) throw bad('QueueScale', durationScaleDoc);
  if (Number(unit) < 0) throw bad('QueueUnit', '0 or more');
  try {
    return new Date(addDuration(await businessCalendar(ctx), ctx.clock.milliseconds(), scale ?? 0, unit)).toISOString();
  } catch (error) {
    throw error instanceof PlatformError && error.field === 'EstimatedDuration'
      ? new PlatformError(error.code, {
          field: 'QueueUnit',
          message: error.message.replace('EstimatedDuration', 'QueueUnit'),
          cause: error,
        })
      : error;
  }
}

/** Numbers of queued workflows and steps. */
export interface ReprocessCounts {
  readonly workflows: number;
  readonly steps: number;
}

interface DecisionSteps {
  readonly decision: number;
  readonly canceled: boolean;
  readonly steps: readonly number[];
}

/**
 * Resets and queues the steps of one template in workflows. A complete workflow continues. A workflow that is canceled,
 * or has no step to run again, is skipped with a warning.
 * @throws STATE_REFUSES if all are skipped
 */
export async function reprocessSteps(
  ctx: Context,
  ids: readonly number[],
  stepTemplateId: number,
  notBefore: string | undefined,
): Promise<ReprocessCounts> {
  return ctx.actingAs('Workflow', async (own) => {
    const found = await own.db.query<DecisionSteps>(
      `select d.decisionid as decision, d.canceleddate is not null as canceled,
         coalesce(
           json_agg(s.decisionstepid order by s.decisionstepid) filter (
             where s.decisionstepid is not null and s.canceleddate is null
           ),
           '[]'
         ) as steps
       from decision d
       left join decisionstep s on s.decisionid = d.decisionid and s.decisionsteptemplateid = $2::bigint
       where d.decisionid = any($1::bigint[])
       group by d.decisionid
       order by d.decisionid`,
      [arrayLiteral(ids), stepTemplateId],
    );
    const stepIds = found.flatMap(({ canceled, steps }) => (canceled ? [] : steps));
    const { queued: queued, skipped } = await requeueSteps(own, stepIds, { status: 'Reprocessing', notBefore });
    let workflows = 0;
    let refused = '';
    for (const { decision, canceled, steps } of found) {
      if (steps.some((step) => queued.has(step))) workflows++;
      const reasons = skipReasons({ canceled, steps }, stepTemplateId, skipped);
      for (const reason of reasons) {
        refused ||= `Workflow ${decision} is left unchanged: ${reason}.`;
        ctx.alert({
          code: 'STATE_REFUSES',
          id: decision,
          text: `Workflow ${decision} is left unchanged: ${reason}.`,
        });
      }
    }
    if (queued.size === 0)
      throw new PlatformError('STATE_REFUSES', {
        field: 'ID',
        message: `ID: nothing can be processed again. ${refused}`,
      });
    return { workflows, steps: queued.size };
  });
}

/** Returns why the steps of a workflow were not queued. */
function skipReasons(
  { canceled, steps }: Pick<DecisionSteps, 'canceled' | 'steps'>,
  stepTemplateId: number,
  skipped: ReadonlyMap<number, string>,
): readonly string[] {
  if (canceled) return ['it is canceled'];
  if (steps.length === 0) return [`it has no step of the template ${stepTemplateId}`];
  return steps.flatMap((step) => (skipped.has(step) ? `its step ${step} ${skipped.get(step) ?? ''}` : []));
}
