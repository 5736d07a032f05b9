import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import { fieldLabel } from '../../../kernel/declare/labels.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { recordField, selectField, textAreaField, textField } from '../design/field.ts';
import { generatedTypes, typeChoices } from '../documents/generated-types.ts';
import { hiddenField } from '../components.ts';
import { icon, type IconName } from '../design/icons.ts';
import { keyHint } from '../design/keys.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { filterable } from './filter-bar.ts';
import type { ListSource } from './list-sources.ts';

/** What can be done to several records at once. */
export interface BulkAction {
  readonly name: string;
  /** The verb of the button: "Assign". */
  readonly text: string;
  readonly icon: IconName;
  readonly key: string;
  /** Says what happens to how many: "Assign 3 cases". */
  readonly sentence: (count: string) => string;
  /** Whether it fits the records, and the user may do it. */
  readonly isFor: (call: PageCall, record: RecordType) => boolean;
  /** The fields of its form. */
  readonly fields: (call: PageCall, record: RecordType) => Markup | Promise<Markup>;
  /** Returns the call for each record; undefined while the form is incomplete. */
  readonly signature: (record: RecordType, form: BulkForm) => string | undefined;
  /** The call that undoes it; absent where nothing has to be undone. */
  readonly undo?: (record: RecordType) => string;
}

/** Returns what the form of an action has in a field. */
export type BulkForm = (name: string) => string;

/** The columns of a list that name the record to which something is done, and its type. */
interface Target {
  /** Module of the operations that change it. */
  readonly module: string;
  readonly id: string;
  /** Its concrete type, as a part of a signature. */
  readonly type: string;
}

function targetOf({ name, module, idField, columns }: RecordType): Target {
  const type = columns.has('recordclass') ? '{RecordClass}' : name;
  return name === 'CaseSummary' ? { module: 'process', id: '{ProcessID}', type } : { module, id: `{${idField}}`, type };
}

function isCase({ name }: RecordType): boolean {
  return name === 'CaseSummary' || name === 'Process' || name === 'Foreclosure' || name === 'Bankruptcy';
}

function maySave(call: PageCall, record: RecordType): boolean {
  const saved = call.platform.registry.record(targetOf(record).module);
  return saved !== undefined && saved.history !== false && call.mayOf(saved, 'save');
}

const rollback = (record: RecordType): string => `${targetOf(record).module}/rollback?ID={Result}&CallID={CallID}`;
const encoded = encodeURIComponent;

/** Returns a signature, or nothing while a value that it needs is empty. */
function signatureOf(route: string, needed: Readonly<Record<string, string>>, more: string): string | undefined {
  const values = Object.entries(needed);
  if (values.some(([, value]) => value.trim() === '')) return undefined;
  return `${route}?${more}${values.map(([name, value]) => `&${name}=${encoded(value.trim())}`).join('')}`;
}

/** The actions of lists, in the order of the bar. */
const bulkActions: readonly BulkAction[] = [
  {
    name: 'assign',
    text: 'Assign',
    icon: 'assign',
    key: 'r',
    sentence: (count) => `Assign ${count}`,
    isFor: (call, record) => (isCase(record) || record.name === 'ImportForm') && maySave(call, record),
    fields: () =>
      recordField({
        label: 'Assignee',
        name: 'AssignedPersonID',
        type: 'Person',
        hint: 'Type the beginning of a name.',
        isRequired: true,
        attributes: html`autofocus`,
      }),
    signature: (record, form) => {
      const { module, id } = targetOf(record);
      return signatureOf(`${module}/save`, { AssignedPersonID: form('AssignedPersonID') }, `ID=${id}`);
    },
    undo: rollback,
  },
  {
    name: 'note',
    text: 'Note',
    icon: 'note',
    key: 'n',
    sentence: (count) => `Add a note to ${count}`,
    isFor: (call, { reach, parent }) => reach !== 'configuration' && parent !== 'Messages' && call.may('message/save'),
    fields: () => html`${subjectField}
${textAreaField({ label: 'Note', name: 'BodyText', isRequired: true, rows: 4 })}`,
    signature: (record, form) => {
      const { id, type } = targetOf(record);
      const needed = { Subject: form('Subject'), BodyText: form('BodyText') };
      return signatureOf('message/save', needed, `Object=${type}&ObjectID=${id}`);
    },
    undo: () => 'message/delete?ID={Result}',
  },
  {
    name: 'hold',
    text: 'Hold',
    icon: 'hold',
    key: 'h',
    sentence: (count) => `Place a hold on ${count}`,
    isFor: (call, record) => isCase(record) && call.may('decisiondelay/save'),
    fields: () => html`${recordField({
      label: 'Hold type',
      name: 'DecisionDelayTemplateID',
      type: 'DecisionDelayTemplate',
      hint: 'Type the beginning of its name, or press the down arrow.',
      isRequired: true,
      attributes: html`autofocus`,
    })}
${textAreaField({ label: 'Reason', name: 'ReasonDetail', isRequired: true })}`,
    signature: (record, form) => {
      const { id, type } = targetOf(record);
      const needed = {
        DecisionDelayTemplateID: form('DecisionDelayTemplateID'),
        ReasonDetail: form('ReasonDetail'),
      };
      return signatureOf('decisiondelay/save', needed, `Object=${type}&ObjectID=${id}`);
    },
    undo: () => 'decisiondelay/delete?ID={Result}',
  },
  {
    name: 'generate',
    text: 'Document',
    icon: 'document',
    key: 'd',
    sentence: (count) => `Generate a document for ${count}`,
    isFor: (call, record) => isCase(record) && call.may('attachment/generate'),
    fields: async (call, record) =>
      selectField({
        label: 'Document type',
        name: 'TemplateID',
        empty: 'Choose a type',
        choices: typeChoices(await generatedTypes(call, record)),
        isRequired: true,
        attributes: html`autofocus`,
      }),
    signature: (record, form) => {
      const { id, type } = targetOf(record);
      return signatureOf('attachment/generate', { TemplateID: form('TemplateID') }, `Object=${type}&ObjectID=${id}`);
    },
    undo: () => 'attachment/delete?ID={Result}',
  },
  {
    name: 'queue',
    text: 'Move to queue',
    icon: 'queue',
    key: 'm',
    sentence: (count) => `Move ${count} to a queue`,
    isFor: (call, record) => (isCase(record) || record.name === 'ImportForm') && call.may('smartworklistmember/place'),
    fields: () => html`${recordField({
      label: 'Queue',
      name: 'SmartWorklistID',
      type: 'SmartWorklist',
      hint: 'Type the beginning of its name, or press the down arrow.',
      isRequired: true,
      attributes: html`autofocus`,
    })}
${textField({ label: 'Reason', name: 'Reason', isRequired: true, attributes: html`maxlength="255"` })}`,
    signature: (record, form) => {
      const { id, type } = targetOf(record);
      const needed = { SmartWorklistID: form('SmartWorklistID'), Reason: form('Reason') };
      return signatureOf('smartworklistmember/place', needed, `SourceObject=${type}&SourceObjectID=${id}`);
    },
    undo: () => 'smartworklistmember/cancel?ID={Result}',
  },
  {
    name: 'move',
    text: 'Move files',
    icon: 'export',
    key: 'v',
    sentence: (count) => `Move the files of ${count}`,
    isFor: (call, record) =>
      record.name === 'Attachment' && call.may('fileobject/save') && call.may('attachment/movefile'),
    fields: () => html`${textField({
      label: 'Storage location',
      name: 'FileObject',
      hint: 'Local, or the name of another location.',
      isRequired: true,
      attributes: html`autofocus maxlength="100"`,
    })}
${movedPathField}`,
    signature: (_record, form) =>
      signatureOf(
        'attachment/movefile',
        { FileObject: form('FileObject'), PathURL: form('PathURL') },
        'ID={AttachmentID}',
      ),
  },
  {
    name: 'complete',
    text: 'Complete',
    icon: 'check',
    key: 'c',
    sentence: (count) => `Complete ${count}`,
    isFor: (call, record) => record.name === 'ImportForm' && maySave(call, record),
    // Completed when the user decided it, whenever the run gets there.
    fields: (call) => html`${hiddenField('ActualCompletion', call.platform.clock.now())}
<p class="soft">Their workflows continue. Tasks that need answers, or are on hold, stay open: the check says which.
A completed task can be reopened one by one by those who may.</p>`,
    signature: (_record, form) =>
      signatureOf('importform/save', { ActualCompletion: form('ActualCompletion') }, 'ID={ImportFormID}'),
  },
  {
    name: 'follow',
    text: 'Follow',
    icon: 'star',
    key: 'o',
    sentence: (count) => `Follow ${count}`,
    isFor: (call, record) => (isCase(record) || record.name === 'Loan') && call.may('follow/add'),
    fields: () => html`<p class="soft">You are notified of their dates, holds, documents, notes and tasks.</p>`,
    signature: (record) => {
      const { id, type } = targetOf(record);
      return `follow/add?Object=${type}&ObjectID=${id}`;
    },
  },
  {
    name: 'set',
    text: 'Set a field',
    icon: 'form',
    key: 'e',
    sentence: (count) => `Set a field of ${count}`,
    isFor: maySave,
    fields: (call, record) => {
      const saved = call.platform.registry.record(targetOf(record).module) ?? record;
      return html`${selectField({
        label: 'Field',
        name: 'Column',
        empty: 'Choose',
        isRequired: true,
        attributes: html`autofocus`,
        choices: settable(saved).map(({ name, field }) => ({ value: name, text: fieldLabel(name, field) })),
      })}
${textField({ label: 'New value', name: 'Value', hint: 'Leave it empty to clear the field.' })}`;
    },
    signature: (record, form) => {
      const { module, id } = targetOf(record);
      const column = form('Column');
      return /^\w+$/.test(column) ? `${module}/save?ID=${id}&${column}=${encoded(form('Value').trim())}` : undefined;
    },
    undo: rollback,
  },
];

/** The field for the path of moved files. */
export const movedPathField = textField({
  label: 'Path',
  name: 'PathURL',
  value: '/{Object}/{ObjectID}/{Guid}/{Uri.FileName}',
  hint: 'Braces fill in columns of the document. A path without {Guid} is refused where two files would share it.',
  isRequired: true,
  attributes: html`maxlength="1000"`,
});

const subjectField = textField({
  label: 'Subject',
  name: 'Subject',
  isRequired: true,
  attributes: html`autofocus maxlength="200"`,
});

/** Returns the columns that a save sets: not those that the platform computes, nor long documents. */
function settable(record: RecordType): readonly Column[] {
  return filterable(record).filter(
    ({ field }) => field.computed !== true && field.kind !== 'json' && field.classification !== 'staff',
  );
}

/** Returns the actions that fit a list and that the user may do. */
export function actionsFor(call: PageCall, record: RecordType): readonly BulkAction[] {
  return bulkActions.filter(({ isFor }) => isFor(call, record));
}

/** Renders the buttons of the bar: each leads to the action's form. */
export function bulkButtons(call: PageCall, { record }: ListSource): Markup {
  return html`${actionsFor(call, record).map(
    ({ name, text, icon: of, key }) =>
      html`<button class="bulk-button" name="Action" value="${name}" data-bulk-key="${key}">${icon(of)}
<span>${text}</span>${keyHint(key)}</button>\n`,
  )}`;
}

/** Returns the fields that a form of an action has sent. */
export function formOf(call: PageCall): BulkForm {
  return (name) => plainText(call.form[name]);
}
