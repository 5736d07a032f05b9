import { escapeText } from '../../src/kernel/xml/element.ts';

/** What an event code of the demo means; tasks and holds are those of the sample templates. */
interface SampleEventCode {
  readonly code: string;
  readonly name: string;
  readonly kind: 'Foreclosure' | 'Bankruptcy' | 'Delay' | 'Loan';
  readonly task?: string;
  readonly taskDate?: 'Projected';
  readonly status?: string;
}

/** A set to begin with, for the demo: an installation's own codes are its configuration. */
const eventCodes: readonly SampleEventCode[] = [
  {
    code: 'E0200',
    name: 'Foreclosure referral received',
    kind: 'Foreclosure',
    task: 'Referral Received',
    status: 'Open',
  },
  { code: 'E0210', name: 'Title search ordered', kind: 'Foreclosure', task: 'Title Search Ordered' },
  { code: 'E0220', name: 'Title search received', kind: 'Foreclosure', task: 'Title Search Received' },
  { code: 'E0230', name: 'Demand letter sent', kind: 'Foreclosure', task: 'Demand Letter Sent' },
  { code: 'E0240', name: 'Foreclosure put on hold', kind: 'Foreclosure', status: 'On Hold' },
  { code: 'E0250', name: 'Foreclosure resumed', kind: 'Foreclosure', status: 'Open' },
  { code: 'E0270', name: 'Service complete', kind: 'Foreclosure', task: 'Service Complete' },
  { code: 'E0280', name: 'Judgment entered', kind: 'Foreclosure', task: 'Judgment Entered' },
  { code: 'E0285', name: 'Sale scheduled', kind: 'Foreclosure', task: 'Sale Scheduled' },
  { code: 'E0286', name: 'Sale expected', kind: 'Foreclosure', task: 'Sale Held', taskDate: 'Projected' },
  { code: 'E0290', name: 'Complaint filed', kind: 'Foreclosure', task: 'Complaint Filed' },
  { code: 'E0295', name: 'Sale held', kind: 'Foreclosure', task: 'Sale Held' },
  { code: 'E0299', name: 'Foreclosure file closed', kind: 'Foreclosure', status: 'Closed' },
  { code: 'E0300', name: 'Proof of claim filed', kind: 'Bankruptcy', task: 'Proof of Claim Filed', status: 'Open' },
  { code: 'E0302', name: 'Motion for relief filed', kind: 'Bankruptcy', task: 'Motion for Relief Filed' },
  { code: 'E0304', name: 'Order entered', kind: 'Bankruptcy', task: 'Order Entered' },
  { code: 'E0309', name: 'Bankruptcy dismissed or discharged', kind: 'Bankruptcy', status: 'Closed' },
  { code: 'E0310', name: 'Delay begun, changed or ended', kind: 'Delay' },
  { code: 'E0320', name: 'Property inspected', kind: 'Loan' },
  { code: 'E0330', name: 'Property valued', kind: 'Loan' },
];

const idOf = (...parts: readonly string[]): string =>
  ['sample', ...parts.map((part) => part.toLowerCase().replaceAll(' ', '-'))].join('/');

function itemXml(name: string, id: string, values: Readonly<Record<string, string | undefined>>): string {
  const elements = Object.entries(values).flatMap(([column, value]) =>
    value === undefined ? [] : [`      <${column}>${escapeText(value)}</${column}>\n`],
  );
  return `    <${name}Item SubscriberID="${id}">\n${elements.join('')}    </${name}Item>\n`;
}

/** Returns the codes and their task types as a configuration document, for `eventcode/import`. */
export function eventCodesDocument(): string {
  const tasks = new Map(
    eventCodes.flatMap(({ kind, task }) => (task === undefined ? [] : [[idOf('task', kind, task), { kind, task }]])),
  );
  const taskItems = [...tasks].map(([id, { kind, task }]) =>
    itemXml('ImportFormTemplate', id, {
      AppliesTo: kind,
      ExtranetEnabled: 'Self',
      ImportFormTemplate: task,
      Repeatable: 'Many',
      Status: 'Active',
    }),
  );
  const codeItems = eventCodes.map(({ code, name, kind, task, taskDate, status }) =>
    itemXml('EventCode', idOf('event-code', code), {
      CaseKind: kind,
      CaseStatus: status,
      Description: `Sample: ${name}.`,
      EventCode: code,
      EventCodeType: 'Sample',
      ImportFormTemplateSubscriberID: task === undefined ? undefined : idOf('task', kind, task),
      TaskDate: task === undefined ? undefined : (taskDate ?? 'Actual'),
    }),
  );
  return (
    '<?xml version="1.0" encoding="utf-8"?>\n' +
    '<!-- Event codes to begin with, and the tasks that they complete: a configuration document. -->\n' +
    '<Configuration FormatVersion="1">\n' +
    `  <ImportFormTemplateCollection>\n${taskItems.join('')}  </ImportFormTemplateCollection>\n` +
    `  <EventCodeCollection>\n${codeItems.join('')}  </EventCodeCollection>\n</Configuration>\n`
  );
}
