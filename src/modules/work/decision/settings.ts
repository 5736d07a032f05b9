import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

/** Whether a new workflow is processed at once. */
export const decisionProcessOnInsert = defineSetting(
  'DecisionProcessOnInsert',
  f.boolean({
    doc: 'Whether a new workflow is processed as soon as it is saved. Otherwise it waits for decision/process.',
  }),
  true,
);
/** Whether a failed step fails the call that started it. */
export const decisionProcessErrorThrow = defineSetting(
  'DecisionProcessErrorThrow',
  f.boolean({
    doc: 'Whether a call in which a workflow step fails answers the error, once what else it did is committed. Otherwise the step stands in Error and the answer has a remark.',
  }),
  true,
);
/** When a polling step without a schedule is asked again. */
export const decisionPollingMinutes = defineSetting(
  'DecisionPollingMinutes',
  f.integer({ doc: 'After how many minutes a polling step without a MonitorScheduleID is asked again.' }),
  60,
);
/** Whether a case that is closed takes its open workflows with it. */
export const decisionCancelOnClose = defineSetting(
  'DecisionCancelOnClose',
  f.boolean({
    doc: 'Whether the open workflows of a case are canceled when it gets its DateClosed, with their tasks and worklist items. Otherwise they stay open.',
  }),
  true,
);

/** The settings of workflows. */
export const settings = [
  decisionProcessOnInsert,
  decisionProcessErrorThrow,
  decisionPollingMinutes,
  decisionCancelOnClose,
] as const;
