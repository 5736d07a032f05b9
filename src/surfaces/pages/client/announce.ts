/** Lets screen readers say a text when they are idle. */
export function announce(text: string): void {
  const status = document.getElementById('announcement');
  if (status) status.textContent = text;
}
