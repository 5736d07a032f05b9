// The pages of imports: a file is sent as the body of its import, with progress.
import { watchUploads } from './import-upload.ts';

watchUploads();
