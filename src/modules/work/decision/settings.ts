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
    doc:
      'Whether a call in which a workflow step fails returns an error, after committing everything else ' +
      'it did. Otherwise the step is in Error and the answer has a warning.',
  }),
  true,
);
/** Polling interval of steps without a schedule. */
export const decisionPollingMinutes = defineSetting(
  'DecisionPollingMinutes',
  f.integer({ doc: 'Minutes after which a polling step without a MonitorScheduleID is evaluated again.' }),
  60,
  { range: [0, 525_600] },
);
/** Whether closing a case cancels its open workflows. */
export const decisionCancelOnClose = defineSetting(
  'DecisionCancelOnClose',
  f.boolean({
    doc:
      'Whether the open workflows of a case are canceled when it gets its DateClosed, with their tasks ' +
      'and work items. Otherwise they stay open.',
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
