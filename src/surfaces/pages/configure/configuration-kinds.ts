import type { RecordName } from '../../../kernel/declare/catalog.ts';
import type { IconName } from '../design/icons.ts';
import type { PageCall } from '../page-call.ts';

/** A kind of record that analysts configure. */
export interface ConfigurationKind {
  readonly record: RecordName;
  readonly icon: IconName;
  /** What it is for, in a few words. */
  readonly text: string;
}

/** Kinds that are configured for one purpose. */
export interface ConfigurationGroup {
  readonly id: string;
  readonly title: string;
  readonly kinds: readonly ConfigurationKind[];
}

/** Everything that analysts configure. */
export const configurationGroups: readonly ConfigurationGroup[] = [
  {
    id: 'work',
    title: 'Work',
    kinds: [
      { record: 'DecisionTemplate', icon: 'workflow', text: 'Steps of a case, in order' },
      { record: 'ImportFormTemplate', icon: 'task', text: 'Tasks and their questions' },
      { record: 'SmartWorklistTemplate', icon: 'queue', text: 'Who works on what next' },
      { record: 'DecisionDelayTemplate', icon: 'hold', text: 'Why work stops, and for how long' },
      { record: 'Holiday', icon: 'calendar', text: 'Days that are no business days' },
      { record: 'Schedule', icon: 'clock', text: 'Recurring times' },
    ],
  },
  {
    id: 'rules',
    title: 'Rules',
    kinds: [
      { record: 'Matrix', icon: 'matrix', text: 'Fees, vendors, assignments by case' },
      { record: 'BusinessRule', icon: 'rule', text: 'Changes that are refused or warned of' },
      { record: 'ScoreTemplate', icon: 'report', text: 'Scorecards and their items' },
      { record: 'LedgerTemplate', icon: 'money', text: 'Ledgers and their lines' },
    ],
  },
  {
    id: 'words',
    title: 'Messages and documents',
    kinds: [
      { record: 'MessageTemplate', icon: 'message', text: 'Mail, letters and notes' },
      { record: 'AttachmentTemplate', icon: 'document', text: 'Kinds of documents' },
      { record: 'Transform', icon: 'template', text: 'Stylesheets for documents and pages' },
      { record: 'Statement', icon: 'database', text: 'Saved queries for reports and queues' },
    ],
  },
  {
    id: 'data',
    title: 'Data',
    kinds: [
      { record: 'EventCode', icon: 'flag', text: 'Events of cases and what they mean' },
      { record: 'CustomField', icon: 'columns', text: 'Fields that this company added' },
      { record: 'PageLayout', icon: 'sidebar', text: 'What the page of a case shows' },
      { record: 'ContactTemplate', icon: 'people', text: 'Roles of contacts' },
      { record: 'CollectionTemplate', icon: 'team', text: 'Kinds of groups' },
      { record: 'Geography', icon: 'globe', text: 'States and counties' },
    ],
  },
  {
    id: 'pages',
    title: 'Pages',
    kinds: [
      { record: 'View', icon: 'filter', text: 'Saved lists that teams share' },
      { record: 'PageLayout', icon: 'case', text: 'What the page of a case shows' },
    ],
  },
  {
    id: 'exchange',
    title: 'Exchange',
    kinds: [
      { record: 'ImportFileTemplate', icon: 'import', text: 'Files that are imported, and their columns' },
      { record: 'Webhook', icon: 'link', text: 'Events sent to other systems' },
    ],
  },
];

/** Whether a user may change any kind of configuration. */
export function mayConfigure(call: PageCall): boolean {
  return configurationGroups.some(({ kinds }) => kinds.some((kind) => maySave(call, kind)));
}

/** Whether a user may change this kind: what they may only read is not offered. */
export function maySave(call: PageCall, { record }: ConfigurationKind): boolean {
  const type = call.platform.registry.record(record);
  return type !== undefined && call.mayOf(type, 'search') && call.mayOf(type, 'save');
}
