// Asks the server which questions the answers so far bring up and what they make of the calculated ones. Without script the same happens at each Save.

const DELAY = 300;
const form = document.querySelector('form[data-form]');

if (form) {
  const touched = new Set();
  let timer;
  let latest = 0;

  const nameOf = (input) => (input.name.startsWith('answer.') ? input.name.slice('answer.'.length) : undefined);

  // What is entered now, under the names that the server knows.
  const entered = () => {
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
    const place = [...form.querySelectorAll('[data-question]')].find((each) => each.dataset.question === question.Name);
    if (!place) return;
    place.hidden = !question.Shown;
    const required = place.querySelector('[data-required]');
    if (required) required.hidden = !question.Required;
    const output = place.querySelector('output');
    if (output && question.Calculated) output.textContent = question.Value ?? '–';
    const wrong = place.querySelector('.wrong');
    if (!wrong || !touched.has(question.Name)) return;
    const words = (question.Problem ?? '').replace(`${question.Name}: `, '');
    wrong.textContent = words.charAt(0).toUpperCase() + words.slice(1);
    const input = place.querySelector('input:not([type=hidden]), select, textarea');
    if (input && place.tagName !== 'FIELDSET') input.toggleAttribute('aria-invalid', false);
    if (input && question.Problem) (place.tagName === 'FIELDSET' ? place : input).setAttribute('aria-invalid', 'true');
  };

  const ask = async () => {
    const asked = ++latest;
    const token = form.querySelector('input[name=_csrf]').value;
    const response = await fetch('/api/importform/evaluate?Output=Json', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': token },
      body: JSON.stringify(entered()),
    }).catch(() => undefined);
    // Nothing is lost where the server does not answer: it looks again at Save.
    if (!response?.ok || asked !== latest) return;
    const { Form } = await response.json();
    if (asked !== latest) return;
    for (const question of Form?.Questions ?? []) show(question);
    form.dataset.asked = String(asked);
  };

  form.addEventListener('input', (event) => {
    const name = event.target.name === undefined ? undefined : nameOf(event.target);
    if (name === undefined) return;
    touched.add(name);
    clearTimeout(timer);
    timer = setTimeout(ask, DELAY);
  });
}
