package textfile

import (
	"strings"
	"testing"
)

// Samples of each language, from one word to a program with one comment.
var samples = []struct {
	tongue    string
	encodings string // that it is commonly written in
	texts     [5]string
}{
	{"Chinese, simplified", "gbk gb18030", [5]string{
		"中文",
		"读取配置文件",
		"// 如果文件不存在就返回空值\n",
		"这个函数打开一个文件，并且返回其中的内容。如果出现错误，调用者会得到一个说明原因的消息，而不是空的结果。\n",
		program("检查参数是否正确，然后再打开文件"),
	}},
	{"Chinese, traditional", "big5", [5]string{
		"設定",
		"讀取設定檔案",
		"// 如果檔案不存在就傳回空值\n",
		"這個函式會開啟一個檔案，並且傳回其中的內容。如果發生錯誤，呼叫的人會得到一個說明原因的訊息，而不是空的結果。\n",
		program("檢查參數是否正確，然後再開啟檔案"),
	}},
	{"Japanese", "shift_jis euc-jp", [5]string{
		"設定",
		"ファイルを読む",
		"// ファイルがない場合は空の値を返します\n",
		"この関数はファイルを開いて、その内容を返します。エラーが起きたときは、呼び出し側に理由を示すメッセージを渡します。\n",
		program("引数を確認してからファイルを開く"),
	}},
	{"Korean", "euc-kr", [5]string{
		"설정",
		"설정 파일 읽기",
		"// 파일이 없으면 빈 값을 반환합니다\n",
		"이 함수는 파일을 열고 그 내용을 반환합니다. 오류가 발생하면 호출한 쪽에서 이유를 알 수 있도록 메시지를 전달합니다.\n",
		program("인수가 올바른지 확인한 다음 파일을 엽니다"),
	}},
	{"Russian", "windows-1251 koi8-r", [5]string{
		"Привет",
		"чтение файла",
		"// если файла нет, вернуть пустое значение\n",
		"Эта функция открывает файл и возвращает его содержимое. Если что-то пошло не так, вызывающий получает сообщение с причиной.\n",
		program("сначала проверить аргументы, потом открыть файл"),
	}},
	{"French", "windows-1252 iso-8859-1", [5]string{
		"été",
		"Le café est fermé",
		"// si le fichier n'a pas été trouvé, la valeur précédente est gardée\n",
		"Cette fonction ouvre le fichier et renvoie ce qu'il contient. Si une erreur a été détectée, l'appelant reçoit un message\n" +
			"qui en précise la cause ; le résultat n'est jamais vide. Les données déjà écrites sont conservées.\n",
		program("vérifie les paramètres donnés, puis ouvre le fichier demandé à l'étape précédente, déjà vérifiée"),
	}},
	{"German", "windows-1252 iso-8859-1", [5]string{
		"Größe",
		"Prüfen für später",
		"// läuft nur, wenn die Datei geöffnet werden kann, sonst zurück zur Größe\n",
		"Diese Funktion öffnet die Datei und gibt den Inhalt zurück. Schlägt das Öffnen fehl, erhält der Aufrufer eine Meldung,\n" +
			"die den Grund erklärt. Änderungen dürfen erst später übernommen werden, nachdem die Größe geprüft wurde.\n",
		program("prüft zunächst die Argumente für das Öffnen und läuft dann über alle Einträge, größere zuerst, zurück"),
	}},
}

func program(comment string) string {
	return `package main

// open returns the file of that name.
func open(name string) (*File, error) {
	// ` + comment + `
	if name == "" {
		return nil, errEmpty
	}
	return find(name, 3)
}
`
}

// others are samples of languages whose encodings are easily taken for one of
// those above.
var others = map[string]string{
	"windows-1250":   "Tato funkce otevře soubor a vrátí jeho obsah. Když se něco nepodaří, volající dostane zprávu s příčinou.\n",
	"iso-8859-2":     "Ta funkcja otwiera plik i zwraca jego zawartość. Jeśli coś się nie powiedzie, wywołujący otrzyma komunikat z przyczyną.\n",
	"iso-8859-5":     "Эта функция открывает файл и возвращает его содержимое. Если что-то пошло не так, вызывающий получает сообщение.\n",
	"koi8-u":         "Ця функція відкриває файл і повертає його вміст. Якщо щось пішло не так, той, хто викликав, отримує повідомлення.\n",
	"windows-1253":   "Αυτή η συνάρτηση ανοίγει το αρχείο και επιστρέφει το περιεχόμενό του. Αν κάτι πάει στραβά, εμφανίζεται μήνυμα.\n",
	"windows-1254":   "Bu işlev dosyayı açar ve içeriğini döndürür. Bir şey ters giderse çağıran taraf nedenini açıklayan bir ileti alır.\n",
	"windows-1255":   "הפונקציה הזאת פותחת את הקובץ ומחזירה את התוכן שלו. אם משהו משתבש, מי שקרא לה מקבל הודעה עם הסיבה.\n",
	"windows-1256":   "تفتح هذه الدالة الملف وتعيد محتواه. إذا حدث خطأ ما فإن المستدعي يحصل على رسالة توضح السبب.\n",
	"windows-1257":   "Šī funkcija atver failu un atgriež tā saturu. Ja kaut kas noiet greizi, izsaucējs saņem paziņojumu ar iemeslu.\n",
	"windows-874":    "ฟังก์ชันนี้เปิดไฟล์และส่งคืนเนื้อหาของไฟล์ หากเกิดข้อผิดพลาด ผู้เรียกจะได้รับข้อความที่บอกเหตุผล\n",
	"x-mac-cyrillic": "Эта функция открывает файл и возвращает его содержимое. Если Файл не найден, Вызывающий получает Сообщение. Ясно.\n",
	"macintosh":      "Cette fonction ouvre le fichier et renvoie ce qu'il contient. Si une erreur a été détectée, l'appelant le reçoit.\n",
}

// encode is Encode of a text that the encoding must have.
func encode(t testing.TB, name, text string) []byte {
	t.Helper()
	raw, err := mustEncoding(t, name).Encode(text)
	if err != nil {
		t.Fatalf("sample cannot be written: %v", err)
	}
	return raw
}

func mustEncoding(t testing.TB, name string) *Encoding {
	t.Helper()
	e, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// lines returns n lines of about the given width.
func lines(n, width int) []byte {
	line := strings.Repeat("0123456789abcdef", width/16+1)[:width-1] + "\n"
	return []byte(strings.Repeat(line, n))
}
