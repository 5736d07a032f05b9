import type { Field } from '../../kernel/declare/field-types.ts';
import type { Collection } from '../../kernel/declare/record.ts';

/**
 * Display names of record types that people call something else. A map, not an object, since names can come from an
 * address: `constructor` must not find an inherited property.
 */
const recordNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ApiKey: 'API key',
    Attachment: 'Document',
    AttachmentTemplate: 'Document type',
    BusinessRule: 'Rule',
    Decision: 'Workflow',
    DecisionDelay: 'Hold',
    DecisionDelayTemplate: 'Hold type',
    DecisionStep: 'Step',
    DecisionStepTemplate: 'Step template',
    DecisionTemplate: 'Workflow template',
    FileObject: 'Storage location',
    ImportFile: 'Import',
    ImportFileQueue: 'Batch call',
    ImportFileTemplate: 'Import type',
    ImportForm: 'Task',
    ImportFormTemplate: 'Task type',
    ImportFormQuestion: 'Task question',
    ImportLog: 'Import row',
    LedgerItem: 'Ledger line',
    MailOutbound: 'Mail server',
    Matrix: 'Decision table',
    MatrixDimension: 'Input',
    MatrixFact: 'Rule row',
    MatrixMeasure: 'Output',
    MatrixVersion: 'Decision table version',
    ObjectSubscription: 'External ID',
    Person: 'User',
    Process: 'Case',
    ReportRequest: 'Report run',
    ScoreItemTemplate: 'Scorecard item',
    ScoreTemplate: 'Scorecard',
    SftpAccount: 'SFTP account',
    SmartWorklist: 'Queue',
    SmartWorklistMember: 'Work item',
    SmartWorklistTemplate: 'Queue template',
  }),
);

/** Columns whose declared name is not what people call them. */
const columnNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ActualCompletion: 'Completed',
    ActualStart: 'Started',
    Agency: 'Investor',
    AssignedCollectionID: 'Assigned team',
    AssignedPersonID: 'Assigned to',
    CreatedDate: 'Created',
    CreatedPersonID: 'Created by',
    ErrorCount: 'Failed rows',
    EstimatedCompletion: 'Expected',
    OrganizationID: 'Firm',
    PreTransformID: 'Source file',
    ProcessType: 'Case type',
    ProjectedCompletion: 'Due',
    SuccessCount: 'Saved rows',
    UPBAmount: 'Unpaid balance',
    USSSN: 'SSN',
    USSSN4: 'SSN, last four',
    UpdatedDate: 'Updated',
    UpdatedPersonID: 'Updated by',
  }),
);

/** Record types whose names in longer names are replaced, too: `ParentDecisionStepID` is "Parent step". */
const replacedNames = [...recordNames.keys()].filter((name) =>
  /^(?:Attachment|Decision|Import|SmartWorklist)/.test(name),
);
const replacedPattern = new RegExp(
  `(?<![A-Z])(?:${replacedNames.sort((a, b) => b.length - a.length).join('|')})(?![a-z])`,
  'g',
);

/** Returns what people call a record type: `DecisionDelay` is "Hold". */
export function recordTitle(name: string): string {
  return recordNames.get(name) ?? humanize(withReplacedNames(name));
}

/** Returns what people call several records of a type: "Holds". */
export function recordTitlePlural(name: string): string {
  return plural(recordTitle(name));
}

/** Returns what people call a collection: the plural of its record type, or its own name if that is more specific. */
export function collectionTitle({ name, record }: Pick<Collection, 'name' | 'record'>): string {
  return name === plural(record) ? recordTitlePlural(record) : humanize(name);
}

function plural(name: string): string {
  if (/[^aeiou]y$/i.test(name)) return `${name.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/i.test(name) ? `${name}es` : `${name}s`;
}

/**
 * Returns a field's label: its declared one, else its column's name in words. A reference is named after its record.
 */
export function fieldLabel(name: string, field: Field): string {
  if (field.label !== undefined) return field.label;
  const base = field.kind === 'id' && field.to !== undefined && name.endsWith('ID') ? name.slice(0, -2) : name;
  return columnNames.get(name) ?? recordTitle(base);
}

/** Returns the label of a column that is known by its name alone, as in a history. */
export function columnLabel(name: string): string {
  return columnNames.get(name) ?? humanize(withReplacedNames(name));
}

/** Replaces the names of record types in a column's name by what people call them. */
function withReplacedNames(name: string): string {
  return name.replace(replacedPattern, (type) =>
    (recordNames.get(type) ?? type).replace(/ (\w)/g, (_match, letter: string) => letter.toUpperCase()),
  );
}

/** Returns a declared name in words: `ActualCompletion` is "Actual completion". */
export function humanize(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(' ');
  return words.map((word, at) => (at === 0 || /^[A-Z]{2,}/.test(word) ? word : word.toLowerCase())).join(' ');
}

/** Returns a title as it is written inside a sentence: "External ID" is "external ID". */
export function inSentence(title: string): string {
  return /^[A-Z]{2,}/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);
}
