/*
 * Pages with mail: the inbox with its keys, frames that are as high as their mail, images on request, and the form in
 * which a message is written.
 */
import { attachFiles } from './messages/attach-files.ts';
import { fillFromTemplates } from './messages/template-choice.ts';
import { defineInbox } from './messages/inbox-element.ts';
import { showFrames } from './messages/mail-frames.ts';
import { defineRecipientField } from './messages/recipient-field.ts';
import { defineTemplatePreview } from './messages/template-preview.ts';

defineInbox();
defineRecipientField();
defineTemplatePreview();
showFrames();
attachFiles();
fillFromTemplates();

// A field for a record finds those of the type that is chosen beside it.
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLSelectElement) || target.dataset['fileType'] === undefined) return;
  const field = document.getElementById(target.dataset['fileType']);
  if (!(field instanceof HTMLInputElement)) return;
  field.dataset['lookup'] = target.value;
  field.value = '';
});

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !(event.target instanceof Element)) return;
  const form = event.target.closest<HTMLFormElement>('.mail-form');
  const send = form?.querySelector<HTMLButtonElement>('button[name=Action][value=send]');
  if (!form || !send || event.defaultPrevented) return;
  event.preventDefault();
  form.requestSubmit(send);
});
