import { columnLabel } from '../../../kernel/declare/labels.ts';
import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { selectField, textField } from '../design/field.ts';
import { facts } from '../design/list.ts';
import { noValue } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import type { ShownType } from './document-type-page.ts';
import { OPTIONS_OF, optionField, optionsOf, sentOption, type GeneratorRow } from './generator-options.ts';

/** Reads the generators that this installation has. */
export async function readGenerators(call: PageCall): Promise<readonly GeneratorRow[]> {
  return (await call.call('attachmenttemplate/generators', {})).answer.rows;
}

/** Renders how documents of the type are generated, as a form for those who may change it. */
export function generationCard(call: PageCall, shown: ShownType, refused: PlatformError | undefined): Markup {
  const { row, generator } = shown;
  const record = call.platform.registry.recordType('AttachmentTemplate');
  const body = call.may('attachmenttemplate/save')
    ? generationForm(call, shown, refused)
    : facts(
        (['AttachmentService', 'AppliesTo', 'Method', 'FileObjectAssembly', 'Options'] as const).map(
          (name) => [columnLabel(record, name), (row[name] ?? '') === '' ? noValue : row[name]] as const,
        ),
      );
  return card({
    id: 'generation',
    title: 'How it is generated',
    body: html`<div class="card-body">${
      generator && html`<p class="soft small">${generator.Description}</p>`
    }${body}</div>`,
  });
}

function generationForm(
  call: PageCall,
  { row, generators, generator }: ShownType,
  refused: PlatformError | undefined,
): Markup {
  const record = call.platform.registry.recordType('AttachmentTemplate');
  const stored = new URLSearchParams(row.Options ?? '');
  const isResent = refused !== undefined && plainText(call.form['Action']) === 'type';
  const value = (name: 'AttachmentService' | 'AppliesTo' | 'Method' | 'FileObjectAssembly'): string =>
    isResent ? plainText(call.form[name]) : (row[name] ?? '');
  const chosen = isResent ? generators.find(({ Generator }) => Generator === value('AttachmentService')) : generator;
  const plain = (name: 'AppliesTo' | 'Method' | 'FileObjectAssembly', hint: string): Markup =>
    textField({
      label: columnLabel(record, name),
      name,
      value: value(name),
      isRequired: false,
      hint,
      ...(refused?.field === name && { error: sentenceFor(refused) }),
    });
  const options = (chosen ? optionsOf(chosen) : []).map((option) =>
    optionField(option, {
      value: isResent ? sentOption(option, call.form) : (stored.get(option.name) ?? ''),
      error: refused?.field === option.name ? refused.message : undefined,
    }),
  );
  return html`<form class="type-form entry" method="post">${csrfField(call)}${hiddenField('Version', row.Version)}
${chosen && hiddenField(OPTIONS_OF, chosen.Generator)}
${selectField({
  label: columnLabel(record, 'AttachmentService'),
  name: 'AttachmentService',
  value: value('AttachmentService'),
  empty: 'Nothing: documents of this type are uploaded',
  choices: generators.map((each) => ({ value: each.Generator, text: each.Description.replace(/\.$/, '') })),
  hint: 'Its options appear here once it is saved.',
})}
${plain('AppliesTo', 'The record type that it is generated for, such as Foreclosure. Empty: any.')}
${plain('Method', "The call that returns its data. Empty: the record's own data.")}
${plain('FileObjectAssembly', 'Where its files are stored. Empty: the first location.')}
${
  options.length > 0 &&
  html`<fieldset class="type-form">
<legend class="field-label">Options</legend>${options}</fieldset>`
}
<p>${button({ text: 'Save', kind: 'primary', name: 'Action', value: 'type' })}</p></form>`;
}
