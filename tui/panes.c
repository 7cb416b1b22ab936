#include "config.h"

#include "tui/panes.h"

#define QUEUE_COLS 39u
#define QUEUE_COLS_LARGE 60u
#define LARGE_FROM 200u
#define OUTPUT_LEAST 9u
#define FOOT 3u /* rule, gate, keys */

bool panes_shown(const struct ui *ui)
{
	return ui->cols >= PANES_MIN_COLS && ui->rows >= PANES_MIN_ROWS &&
	       (ui->view == VIEW_QUEUE || ui->view == VIEW_CARD || ui->view == VIEW_OUTPUT);
}

bool panes_show(const struct ui *ui, enum view view)
{
	return ui->view == view || panes_shown(ui);
}

struct panes panes_of(const struct ui *ui)
{
	struct panes p = {
		.queue_cols = ui->cols >= LARGE_FROM ? QUEUE_COLS_LARGE : QUEUE_COLS,
		.output_rows = ui->rows / 4 > OUTPUT_LEAST ? ui->rows / 4 : OUTPUT_LEAST,
	};

	p.card_cols = ui->cols - p.queue_cols - 1;
	p.output_rule = ui->rows - FOOT - p.output_rows - 1;
	p.upper_rows = p.output_rule - PANES_HEAD_ROWS;
	return p;
}
