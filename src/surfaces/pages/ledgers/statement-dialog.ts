import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { today } from '../days.ts';
import { button, buttonLink } from '../design/button.ts';
import { dialog } from '../design/dialog.ts';
import { selectField, textField } from '../design/field.ts';
import { generatedTypes, typeChoices, type TypeRow } from '../documents/generated-types.ts';
import { methodNames } from '../documents/generated-preview.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { statePath } from './ledger-state.ts';
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

/** Renders the days of a statement in a dialog: the PDF is generated and opened. */
export function statementDialog(call: PageCall, view: LedgerView): Markup | false {
  if (view.statementTypes.length === 0) return false;
  return html`<form method="post" action="/documents/generate">${dialog({
    id: STATEMENT,
    title: 'Statement of account',
    body: fields(call, view, 'dialog'),
    actions: generate,
  })}</form>`;
}

/** Renders the days of a statement in the page, for browsers without script. */
export function statementInPage(call: PageCall, view: LedgerView): Markup | false {
  if (view.statementTypes.length === 0 || plainText(call.query['ask']) !== STATEMENT) return false;
  return html`<form class="card ledger-question" id="question" method="post" action="/documents/generate">
<h2>Statement of account</h2>${fields(call, view, 'page')}
<p class="row">${generate}${buttonLink({
    text: 'Cancel',
    kind: 'quiet',
    href: statePath(view.row.LedgerID, view.state),
  })}</p></form>`;
}

const generate = button({ text: 'Generate', kind: 'primary' });

function fields(call: PageCall, { row, statementTypes: types }: LedgerView, prefix: string): Markup {
  const day = today(call);
  const [first] = types;
  return html`<div class="stack">${csrfField(call)}${hiddenField('Object', 'Ledger')}${hiddenField(
    'ObjectID',
    row.LedgerID,
  )}
<p class="soft">The lines and payments in these days, and the balance before and after them.</p>
${
  types.length === 1
    ? hiddenField('TemplateID', first?.AttachmentTemplateID ?? '')
    : selectField({
        label: 'Document type',
        name: 'TemplateID',
        id: `${prefix}-TemplateID`,
        value: String(first?.AttachmentTemplateID ?? ''),
        isRequired: true,
        choices: typeChoices(types),
      })
}
<div class="row">${textField({
    label: 'From',
    name: 'value-From',
    id: `${prefix}-From`,
    type: 'date',
    value: `${day.slice(0, 4)}-01-01`,
    isRequired: true,
  })}${textField({
    label: 'To',
    name: 'value-To',
    id: `${prefix}-To`,
    type: 'date',
    value: day,
    isRequired: true,
  })}</div></div>`;
}
