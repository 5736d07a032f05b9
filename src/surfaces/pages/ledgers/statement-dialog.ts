import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { today } from '../days.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { dialog } from '../design/dialog.ts';
import { selectField, textField } from '../design/field.ts';
import { generatedTypes, typeChoices, type TypeRow } from '../documents/generated-types.ts';
import { methodNames } from '../documents/generated-preview.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { ledgerPath, statePath, stateQuery } from './ledger-state.ts';
import type { LedgerView } from './ledger-view.ts';

/** The question of the page's address, and the dialog, in which a statement is generated. */
export const STATEMENT = 'statement';

/** Returns the document types that print the statement of a ledger in a period. */
export async function statementTypes(call: PageCall): Promise<readonly TypeRow[]> {
  if (!call.may('attachment/generate') || !call.may('attachmenttemplate/search') || !call.may('ledger/statement'))
    return [];
  const types = await generatedTypes(call, call.platform.registry.recordType('Ledger'));
  return types.filter(({ Method: method }) => {
    const names = methodNames(method);
    return /^ledger\/statement\b/i.test(method ?? '') && names.includes('From') && names.includes('To');
  });
}

/** Generates the statement of a ledger for the entered days. Returns the path of the document. */
export async function generateStatement(call: PageCall, id: number): Promise<string> {
  const type = (await statementTypes(call)).find(
    ({ AttachmentTemplateID: each }) => String(each) === plainText(call.form['TemplateID']),
  );
  if (!type) throw new PlatformError('BAD_PARAMETER', { field: 'TemplateID', message: 'Choose a document type.' });
  const days = Object.fromEntries(
    (['From', 'To'] as const).flatMap((name) => {
      const day = plainText(call.form[`value-${name}`]).trim();
      return day === '' ? [] : [[name, day]];
    }),
  );
  const { answer } = await call.call(
    'attachment/generate',
    { TemplateID: type.AttachmentTemplateID, Object: 'Ledger', ObjectID: id },
    days,
  );
  return `/documents/${answer.row.AttachmentID}`;
}

/** Renders the dialog that generates a statement and opens its PDF. It shows why one was refused. */
export function statementDialog(call: PageCall, view: LedgerView, refused?: PlatformError): Markup | false {
  if (view.statementTypes.length === 0) return false;
  return html`<form method="post" action="${ledgerPath(view.row.LedgerID)}" data-inline>${dialog({
    id: STATEMENT,
    title: 'Statement of account',
    body: fields(call, view, { prefix: 'dialog', refused }),
    actions: generate,
  })}</form>`;
}

/** Renders the days of a statement in the page, for browsers without script. */
export function statementInPage(call: PageCall, view: LedgerView, refused?: PlatformError): Markup | false {
  if (view.statementTypes.length === 0 || (!refused && plainText(call.query['ask']) !== STATEMENT)) return false;
  return html`<form class="card ledger-question" id="question" method="post" action="${ledgerPath(view.row.LedgerID)}">
<h2>Statement of account</h2>${fields(call, view, { prefix: 'page', refused })}
<p class="row">${generate}${buttonLink({
    text: 'Cancel',
    kind: 'quiet',
    href: statePath(view.row.LedgerID, view.state),
  })}</p></form>`;
}

const generate = button({ text: 'Generate', kind: 'primary', name: 'Action', value: STATEMENT });

interface FieldsState {
  /** Prefix of field IDs: the page renders the fields twice. */
  readonly prefix: string;
  readonly refused: PlatformError | undefined;
}

const ownFields: ReadonlySet<string | undefined> = new Set(['TemplateID', 'From', 'To']);

function fields(
  call: PageCall,
  { state, statementTypes: types }: LedgerView,
  { prefix, refused }: FieldsState,
): Markup {
  const day = today(call);
  const [first] = types;
  const parts = (field: 'TemplateID' | 'From' | 'To', name: string, value: string) => ({
    name,
    id: `${prefix}-${field}`,
    value: refused ? plainText(call.form[name]) : value,
    isRequired: true,
    ...(refused?.field === field && { error: sentenceFor(refused) }),
  });
  return html`<div class="stack">${csrfField(call)}${hiddenField('State', stateQuery(state).toString())}
${refused && !ownFields.has(refused.field) && banner({ tone: 'danger', role: 'alert', text: refused.message })}
<p class="soft">The lines and payments in these days, and the balance before and after them.</p>
${
  types.length === 1
    ? hiddenField('TemplateID', first?.AttachmentTemplateID ?? '')
    : selectField({
        label: 'Document type',
        ...parts('TemplateID', 'TemplateID', String(first?.AttachmentTemplateID ?? '')),
        choices: typeChoices(types),
      })
}
<div class="row">${textField({
    label: 'From',
    type: 'date',
    ...parts('From', 'value-From', `${day.slice(0, 4)}-01-01`),
  })}${textField({ label: 'To', type: 'date', ...parts('To', 'value-To', day) })}</div></div>`;
}
