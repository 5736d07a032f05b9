// The editor of matrices. Without it rows are edited as forms.
import { MatrixGridElement } from './matrix/grid-element.ts';
import { watchTrial } from './trial-form.ts';
import { MatrixUploadElement } from './matrix/upload-element.ts';

customElements.define('matrix-grid', MatrixGridElement);
customElements.define('matrix-upload', MatrixUploadElement);
watchTrial();
