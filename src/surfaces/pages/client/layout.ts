// The editor of page layouts. Without it, buttons move entries.
import { LayoutEditorElement } from './layout/editor-element.ts';

customElements.define('layout-editor', LayoutEditorElement);
