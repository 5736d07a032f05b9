// Asks the server which questions apply to the answers so far, and for the calculated ones. Without script, each Save
// does the same.

const DELAY_MILLISECONDS = 300;
const form = document.querySelector('form[data-form]');

if (form) {
  const touched = new Set();
  let timer;
  let latest = 0;

  const nameOf = (input) => (input.name.startsWith('answer.') ? input.name.slice('answer.'.length) : undefined);

  // Returns the current answers by the names that the server uses.
  const currentAnswers = () => {
    const fields = {};
    if (form.dataset.form !== '') fields.ID = form.dataset.form;
    for (const [name, value] of new FormData(form)) {
      if (['Template', 'TemplateID', 'Object', 'ObjectID'].includes(name)) fields[name] = value;
      if (name.startsWith('before.') && !(name.slice('before.'.length) in fields))
        fields[name.slice('before.'.length)] = '';
    }
    for (const [name, value] of new FormData(form)) {
      if (!name.startsWith('answer.')) continue;
      const own = name.slice('answer.'.length);
      fields[own] = fields[own] ? `${fields[own]}|${value}` : value;
    }
    return fields;
  };

  const show = (question) => {
    const element = [...form.querySelectorAll('[data-question]')].find(
      (each) => each.dataset.question === question.Name,
    );
    if (!element) return;
    element.hidden = !question.Shown;
    const required = element.querySelector('[data-required]');
    if (required) required.hidden = !question.Required;
    const output = element.querySelector('output');
    if (output && question.Calculated) output.textContent = question.Value ?? '–';
    const wrong = element.querySelector('.wrong');
    if (!wrong || !touched.has(question.Name)) return;
    const text = (question.Problem ?? '').replace(`${question.Name}: `, '');
    wrong.textContent = text.charAt(0).toUpperCase() + text.slice(1);
    const input = element.querySelector('input:not([type=hidden]), select, textarea');
    if (input && element.tagName !== 'FIELDSET') input.toggleAttribute('aria-invalid', false);
    if (input && question.Problem)
      (element.tagName === 'FIELDSET' ? element : input).setAttribute('aria-invalid', 'true');
  };

  const evaluate = async () => {
    const request = ++latest;
    const token = form.querySelector('input[name=_csrf]').value;
    const response = await fetch('/api/importform/evaluate?Output=Json', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': token },
      body: JSON.stringify(currentAnswers()),
    }).catch(() => undefined);
    // If the server does not answer, nothing is lost: Save evaluates the answers again.
    if (!response?.ok || request !== latest) return;
    const { Form } = await response.json();
    if (request !== latest) return;
    for (const question of Form?.Questions ?? []) show(question);
    form.dataset.asked = String(request);
  };

  form.addEventListener('input', (event) => {
    const name = event.target.name === undefined ? undefined : nameOf(event.target);
    if (name === undefined) return;
    touched.add(name);
    clearTimeout(timer);
    timer = setTimeout(evaluate, DELAY_MILLISECONDS);
  });
}
