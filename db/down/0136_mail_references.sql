-- down: nothing is lost
drop index if exists maildelivery_reference_idx;
