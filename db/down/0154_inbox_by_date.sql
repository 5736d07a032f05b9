-- down: nothing is lost but time: a large inbox is slow without these indexes
drop index if exists message_received_idx;
drop index if exists message_conversation_idx;
drop index if exists message_latest_idx;
